-- Sessions that a merchant's program opens: a buyer on the merchant's own site, and what the order agreed on.
-- Locks: flow ACCESS EXCLUSIVE for the new column, which rewrites nothing; it is waited for as long as lock_timeout of the session says.
-- Time: milliseconds. A program of before cannot read a flow of the new client: migrate, restart all, then switch merchant.api on.

-- A merchant's own site: like an app, its two halves meet at the merchant's server, but the way back is an address of the merchant's.
-- No statement of this file may use it: a new value is only there after the commit.
ALTER TYPE flow_client ADD VALUE 'site';

-- NULL for the shop's own flows, whose postage follows from the address. Else {"postage":1080} and, where they were given,
-- "returnUrl" and "capture". Written by the program once, when the session is opened.
ALTER TABLE flow ADD COLUMN terms json;
