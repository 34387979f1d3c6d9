-- Shared by the load scripts: the tokens to use, and the result as one line of JSON.
local M = {}

M.web = "localhost:" .. os.getenv("BENCH_PORT")
M.link = "links.localhost:" .. os.getenv("BENCH_PORT")

function M.tokens()
  local list = {}
  for line in io.lines(os.getenv("BENCH_TOKENS")) do list[#list + 1] = line end
  return list
end

function M.report(summary, latency)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read
    + summary.errors.write + summary.errors.timeout
  io.write(string.format('RESULT {"requests":%d,"seconds":%.6f,"bad":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration / 1e6, bad, latency:percentile(50), latency:percentile(99)))
end

return M
