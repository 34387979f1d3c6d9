package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common = require("common")
wrk.method = "POST"
wrk.path = "/secureWebviewSession"
wrk.body = "client=iosApp&hd8=1&hd10=1"
wrk.headers["Host"] = common.web
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
done = common.report
