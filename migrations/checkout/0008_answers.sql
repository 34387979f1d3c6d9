-- What answers and events say of a payment besides its state: why the last one was declined, when money was captured, and what the
-- merchant's request said of a refund, a capture or a charge.
-- The program of before works on. Locks: three tables and their partitions, for a moment. Time: milliseconds.

ALTER TABLE merchant_order ADD COLUMN decline_reason text;     -- of the last payment that was declined, in the provider's word
ALTER TABLE merchant_order ADD COLUMN declined_at timestamptz; -- when

ALTER TABLE payment_object ADD COLUMN captured_at timestamptz; -- of a charge: when its money was captured
ALTER TABLE payment_object ADD COLUMN stated_reason text;      -- the merchant's reason for it
ALTER TABLE payment_object ADD COLUMN metadata json;           -- the merchant's own

-- What the object that comes of it gets.
ALTER TABLE payment_operation ADD COLUMN stated_reason text;
ALTER TABLE payment_operation ADD COLUMN metadata json;

GRANT UPDATE (decline_reason, declined_at) ON merchant_order TO sallyport_service;
GRANT UPDATE (captured_at, stated_reason, metadata) ON payment_object TO sallyport_service;
GRANT UPDATE (stated_reason, metadata) ON payment_operation TO sallyport_service;
