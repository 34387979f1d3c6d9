-- Reports that compare orders with the provider's objects, when objects are read again, and operations that are given up.

-- One report that compared orders with the provider's objects.
CREATE TABLE reconciliation_run (
    day         date        NOT NULL PRIMARY KEY, -- the first day of the orders that were compared
    started_at  timestamptz NOT NULL,
    ended_at    timestamptz,
    compared    bigint      NOT NULL, -- objects
    differences bigint      NOT NULL,
    since_at    timestamptz,          -- of orders from then on
    until_at    timestamptz,          -- and before
    attempt_id  uuid,                 -- fences whoever goes on with it
    reached     uuid,                 -- the order that was compared last, newest first
    orders      bigint      NOT NULL DEFAULT 0,
    repairs     boolean,              -- whether the ledger took in what differed
    sample      bigint      NOT NULL DEFAULT 0 -- how many orders of the last 180 days are compared besides those that have changed
);

GRANT SELECT, INSERT ON reconciliation_run TO sallyport_service;
GRANT UPDATE (
    started_at, ended_at, compared, differences, since_at, until_at, attempt_id, reached, orders, repairs, sample
) ON reconciliation_run TO sallyport_service;

-- Stubs: functions/ has their texts, and is applied right behind.
CREATE FUNCTION payment_object_poll() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FUNCTION payment_announce_stuck() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

CREATE TRIGGER payment_object_made AFTER INSERT ON payment_object
FOR EACH ROW EXECUTE FUNCTION payment_object_poll();

CREATE TRIGGER payment_object_moved AFTER UPDATE OF state ON payment_object
FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION payment_object_poll();

CREATE TRIGGER payment_operation_stuck AFTER UPDATE OF state ON payment_operation
FOR EACH ROW WHEN (OLD.state <> 'stuck' AND NEW.state = 'stuck') EXECUTE FUNCTION payment_announce_stuck();
