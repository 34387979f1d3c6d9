package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common, v1 = require("common"), require("v1")
-- Purchases of accounts: the first line is the header of all texts, the others are account, and payload with signature.
local case, run, index, header, rows = os.getenv("BENCH_CASE"), tostring(os.time()) .. "-", 0, "", {}

function init()
  for _, line in ipairs(common.tokens()) do
    local account, text = line:match("(%S+) (%S+)")
    if account then rows[#rows + 1] = { account, text } else header = line end
  end
end

local function fields(word)
  return { ["Host"] = common.web, ["Authorization"] = "Bearer " .. v1.key, ["Content-Type"] = "application/json", ["Idempotency-Key"] = word }
end

local function submit(row)
  return wrk.format("POST", "/v1/app-store/accounts/" .. row[1] .. "/transactions", fields(), '{"signedTransaction":"' .. header .. "." .. row[2] .. '"}')
end

local requests = {
  grant = submit,
  duplicate = submit,
  balance = function(row) return wrk.format("GET", "/v1/app-store/accounts/" .. row[1] .. "/balance", fields()) end,
  spend = function(row)
    return wrk.format("POST", "/v1/app-store/accounts/" .. row[1] .. "/spend", fields(run .. index), '{"units":1}')
  end,
}

function request()
  index = index + 1
  return requests[case](rows[index % #rows + 1])
end

done = common.report
