-- Shared by the load scripts: the tokens to use, and the result as one line of JSON.
local M = {}

M.web = os.getenv("BENCH_WEB")
M.link = os.getenv("BENCH_LINK")

function M.tokens()
  local list = {}
  for line in io.lines(os.getenv("BENCH_TOKENS")) do list[#list + 1] = line end
  return list
end

function M.report(summary, latency)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout
  io.write(string.format('RESULT {"requests":%d,"us":%d,"bad":%d,"p50":%d,"p99":%d,"p999":%d}\n',
    summary.requests, summary.duration, bad, latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end

return M
