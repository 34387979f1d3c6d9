-- An end for the recovery of purchases: how often one was taken up, when it is looked at next, and when the program gave up. And
-- what the reports came to that compare orders with the provider's objects.
-- Locks: flow_purchasing, ACCESS EXCLUSIVE, a handful of rows that are not rewritten. Time: milliseconds. The program of before
-- works on: of a purchase it writes the flow alone, and asks as often as it did.

ALTER TABLE flow_purchasing
    ADD COLUMN since      timestamptz NOT NULL DEFAULT statement_timestamp(), -- when the attempt began
    ADD COLUMN next_at    timestamptz NOT NULL DEFAULT statement_timestamp(), -- no look before; the lease must be over too
    ADD COLUMN stuck_at   timestamptz,                                        -- given up: a person has to decide
    ADD COLUMN recoveries integer     NOT NULL DEFAULT 0;

GRANT UPDATE ON flow_purchasing TO sallyport_service;

-- One report that compared orders with the provider's objects.
CREATE TABLE reconciliation_run (
    day         date        NOT NULL PRIMARY KEY, -- the first day of the orders that were compared
    started_at  timestamptz NOT NULL,
    ended_at    timestamptz,
    compared    bigint      NOT NULL, -- objects
    differences bigint      NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON reconciliation_run TO sallyport_service;
