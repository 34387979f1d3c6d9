-- Tax per rate, of orders whose prices include tax.
-- The program of before works on. Locks: merchant_order and its partitions, for a moment. Time: milliseconds.

-- {"10","8","0","postage"}: what is paid at each rate in minor units, tax included, but for the postage; and the rate of the postage.
-- NULL where the prices exclude tax: `tax` then comes on top of `subtotal`, and is 0 otherwise.
ALTER TABLE merchant_order ADD COLUMN taxes json;
