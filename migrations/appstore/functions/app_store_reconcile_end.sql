-- version: 1

-- Notes where the readings of a customer's refunds and purchases begin next (NULL where they were not read), whether they came to their
-- end, and that the customer is due again in so many seconds. One who can get no money back any more and does not come is left alone.
CREATE OR REPLACE FUNCTION app_store_reconcile_end(ledger uuid, refunds text, history text, is_good boolean, pause bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE app_store_reconciliation AS r SET
        refund_revision = coalesce(refunds, r.refund_revision), history_revision = coalesce(history, r.history_revision),
        read_at = CASE WHEN is_good THEN statement_timestamp() ELSE r.read_at END,
        attempts = CASE WHEN is_good THEN 0 ELSE r.attempts + 1 END,
        due_at = CASE
            WHEN is_good AND NOT app_store_is_refundable(r) AND NOT app_store_is_active(r) THEN 'infinity'::timestamptz
            ELSE statement_timestamp() + pause * interval '1 second'
        END
    WHERE r.ledger_id = ledger;
END $$;
