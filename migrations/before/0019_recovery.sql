-- Recovery of operations on payments: lease and back-off are two columns, as they are for purchases. And a row that cannot be taken
-- up is not the first of every batch.
-- Locks: flow_purchasing and payment_operation_open, ACCESS EXCLUSIVE, a handful of rows that are not rewritten; the open rows of
-- payment_operation while their lease is written. Time: milliseconds. The program of before works on: it looks at the lease alone
-- and lengthens it as it did.

-- Leases were lengthened up to an hour; nobody holds an operation for more than a minute. Operations before their place among the
-- open ones, as the programs lock them.
UPDATE payment_operation AS p SET lease_until = statement_timestamp() + interval '60 seconds'
FROM payment_operation_open AS q
WHERE p.operation_id = q.operation_id AND p.state = 'open' AND p.lease_until > statement_timestamp() + interval '60 seconds';

ALTER TABLE flow_purchasing
    ADD COLUMN failures integer NOT NULL DEFAULT 0; -- take-overs in a row that the database refused

ALTER TABLE payment_operation_open
    ADD COLUMN next_at  timestamptz NOT NULL DEFAULT statement_timestamp(), -- no recovery before; the lease must be over too
    ADD COLUMN failures integer     NOT NULL DEFAULT 0;                     -- take-overs in a row that the database refused
