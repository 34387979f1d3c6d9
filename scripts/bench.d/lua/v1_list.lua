package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common, v1 = require("common"), require("v1")
v1.headers(common.web)

function request()
  return wrk.format("GET", "/v1/sessions?limit=20")
end

done = common.report
