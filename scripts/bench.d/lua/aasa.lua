package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common = require("common")
wrk.path = "/.well-known/apple-app-site-association"
wrk.headers["Host"] = common.link
done = common.report
