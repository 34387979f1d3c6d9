-- When Apple is asked next what has become of a customer's purchases: a row for each ledger of an account that bought something. Two
-- processes share the work: whoever takes a row puts off its time.
CREATE TABLE app_store_reconciliation (
    due_at           timestamptz NOT NULL, -- infinity where nothing is to be asked until the customer comes again
    bought_at        timestamptz NOT NULL, -- the last purchase
    active_at        timestamptz NOT NULL, -- when the customer last bought something or showed a purchase
    read_at          timestamptz,          -- when the last reading came to its end; NULL before the first one
    ledger_id        uuid        NOT NULL PRIMARY KEY REFERENCES app_store_ledger,
    attempts         integer     NOT NULL, -- that have failed since
    refund_revision  text,                 -- where the next reading of the refunds begins
    history_revision text                  -- where the next reading of the purchases begins
) WITH (fillfactor = 80);

CREATE INDEX app_store_reconciliation_due ON app_store_reconciliation (due_at);

GRANT SELECT, INSERT, DELETE ON app_store_reconciliation TO sallyport_service;
GRANT UPDATE (due_at, bought_at, active_at, read_at, attempts, refund_revision, history_revision) ON app_store_reconciliation
    TO sallyport_service;

-- Customers of before, spread over a day.
INSERT INTO app_store_reconciliation (due_at, bought_at, active_at, ledger_id, attempts)
SELECT now() + random() * interval '1 day', max(coalesce(p.purchased_at, p.signed_at)), max(coalesce(p.purchased_at, p.signed_at)),
    l.ledger_id, 0
FROM app_store_ledger AS l JOIN app_store_purchase AS p USING (ledger_id)
WHERE l.account_id IS NOT NULL AND l.environment IN ('Production', 'Sandbox')
GROUP BY l.ledger_id;
