package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common, v1 = require("common"), require("v1")
local ids, index = {}, 0
v1.headers(common.web)

function init()
  ids = common.tokens()
end

function request()
  index = index % #ids + 1
  return wrk.format("GET", "/v1/sessions/" .. ids[index])
end

done = common.report
