package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common, v1 = require("common"), require("v1")
-- What is asked for: a line of the file is type, serial number, token, device, account.
local cards = os.getenv("BENCH_CARDS")
local case, run, index, rows = os.getenv("BENCH_CASE"), tostring(os.time()) .. "-", 0, {}

function init()
  for _, line in ipairs(common.tokens()) do
    local row = {}
    for word in line:gmatch("%S+") do row[#row + 1] = word end
    rows[#rows + 1] = row
  end
end

local function pass(row, fields)
  fields["Host"], fields["Authorization"] = cards, "ApplePass " .. row[3]
  return wrk.format("GET", "/v1/passes/" .. row[1] .. "/" .. row[2], fields)
end

local function list(row, query)
  return wrk.format("GET", "/v1/devices/" .. row[4] .. "/registrations/" .. row[1] .. query, { ["Host"] = cards })
end

local requests = {
  ["304"] = function(row) return pass(row, { ["If-Modified-Since"] = "Sun, 01 Jan 2096 00:00:00 GMT" }) end,
  ["200"] = function(row) return pass(row, {}) end,
  cold = function(row) return pass(row, {}) end,
  ["204"] = function(row) return list(row, "?passesUpdatedSince=9000000000000000000") end,
  list = function(row) return list(row, "") end,
  register = function(row)
    local path = "/v1/devices/" .. run .. index .. "/registrations/" .. row[1] .. "/" .. row[2]
    return wrk.format("POST", path, { ["Host"] = cards, ["Authorization"] = "ApplePass " .. row[3] },
      '{"pushToken":"00ff' .. string.format("%012x", index) .. '"}')
  end,
  points = function(row)
    local fields = { ["Host"] = common.web, ["Authorization"] = "Bearer " .. v1.key, ["Content-Type"] = "application/json",
      ["Idempotency-Key"] = run .. index }
    return wrk.format("POST", "/v1/wallet/members/" .. row[5] .. "/points", fields, '{"add":1}')
  end,
}

function request()
  index = index + 1
  return requests[case](rows[index % #rows + 1])
end

done = common.report
