package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common = require("common")
local orders, index = {}, 0

function init()
  for _, line in ipairs(common.tokens()) do
    local cookie, form = line:match("^(.-)\t(.*)$")
    orders[#orders + 1] = { cookie = cookie, form = form }
  end
end

function request()
  index = index + 1
  local order = orders[index]
  -- Running out of webview sessions shows as an answer that is not 2xx or 3xx, and such a run is refused.
  if not order then return wrk.format("GET", "/none-left", { ["Host"] = common.web }) end
  return wrk.format("POST", "/purchase", {
    ["Host"] = common.web,
    ["Cookie"] = order.cookie,
    ["Content-Type"] = "application/x-www-form-urlencoded",
  }, order.form)
end

done = common.report
