-- The names of an order at the provider: the merchant's reference, and our mark beside it. They are written when the buyer agrees; where
-- the provider does not show them on the payment, they are written on the permission, some times at most.
-- The program of before works on, and sends no names. Locks: payment_poll, for the moment. Time: milliseconds.

ALTER TABLE payment_poll ADD COLUMN namings integer; -- of a permission without the names of its order: how often they were sent
GRANT UPDATE (namings) ON payment_poll TO sallyport_service;
