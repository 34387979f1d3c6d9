-- The ways to an order by what people have of it: the number that the buyer sees, which is made of the last bits of the session's id,
-- and the checkout session. One look in each month, whatever the number of orders.
-- The program of before works on. Locks: merchant_order and its partitions against writes, to the end. Time: that of two indexes on all
-- rows, a second or two for each million.

-- Never changes, so updates stay heap-only.
CREATE INDEX merchant_order_number ON merchant_order (substring(uuid_send(webview_session_id) FROM 11));

-- Changes when the buyer agrees, or comes back from the provider, and hardly ever after that: all later updates stay heap-only.
CREATE INDEX merchant_order_checkout_session ON merchant_order (checkout_session) WHERE checkout_session IS NOT NULL;
