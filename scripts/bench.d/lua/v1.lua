-- Shared by the scripts for merchants' programs: the key, and the ids of stored orders.
local M = {}

-- Base64 of the bytes 1 to 48, as orders.py has let it in.
M.key = "swk_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8w"

function M.headers(web)
  wrk.headers["Host"] = web
  wrk.headers["Authorization"] = "Bearer " .. M.key
end

return M
