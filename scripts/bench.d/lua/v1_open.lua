package.path = (debug.getinfo(1, "S").source:match("^@(.*/)") or "scripts/bench.d/lua/") .. "?.lua;" .. package.path
local common, v1 = require("common"), require("v1")
local run, index = tostring(os.time()) .. "-", 0
v1.headers(common.web)
wrk.headers["Content-Type"] = "application/json"

local body = [[{"reference":"A-1001","client":"iosApp","currency":"JPY","lines":[{"id":"sku-1","name":"Sencha","unitPrice":]]
  .. [[{"amount":"1200","currencyCode":"JPY"},"quantity":2}],"tax":{"amount":"240","currencyCode":"JPY"},"postage":]]
  .. [[{"amount":{"amount":"540","currencyCode":"JPY"}}}]]

function request()
  index = index + 1
  wrk.headers["Idempotency-Key"] = run .. index
  return wrk.format("POST", "/v1/sessions", nil, body)
end

done = common.report
