package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common = require("common")
local tokens, index = {}, 0
wrk.headers["Host"] = common.web

function init()
  tokens = common.tokens()
end

function request()
  index = index + 1
  -- Running out of tokens shows as an answer that is not 2xx or 3xx, and such a run is refused.
  return wrk.format("GET", "/button?secureWebviewSessionId=" .. (tokens[index] or "none-left"))
end

done = common.report
