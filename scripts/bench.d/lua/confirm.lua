package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common = require("common")
local tokens, index = {}, 0

function init()
  tokens = common.tokens()
end

function request()
  index = index % #tokens + 1
  return wrk.format("GET", "/confirm_order", {
    ["Host"] = common.web,
    ["Cookie"] = "__Host-secureWebviewSessionId=" .. tokens[index],
  })
end

done = common.report
