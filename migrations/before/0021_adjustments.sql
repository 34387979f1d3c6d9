-- What comes on top of an order's lines or is taken off: discounts, points, coupons, fees.
-- Locks: merchant_order ACCESS EXCLUSIVE for the new column, which rewrites nothing; it is waited for as long as lock_timeout of the session says.
-- Time: milliseconds. A program of before goes on, but cannot read a flow with adjustments: migrate, restart every process, then sell with them.

-- The subtotal, the tax and these are what the buyer pays without postage, which is flow.tax_included. NULL for none.
ALTER TABLE merchant_order ADD COLUMN adjustments json; -- [{"name","amount"}], minor units, below zero is taken off

-- The adjustments of an order as the API shows them.
CREATE FUNCTION order_adjustments_data(adjustments json, currency text) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_agg(json_build_object('name', a ->> 'name', 'amount', money_json((a ->> 'amount')::bigint, currency)))
    FROM json_array_elements(adjustments) AS a
$$;
