-- version: 1

-- Notes that the owner of a purchase has bought it or shown it, so that Apple is asked about the customer in a day. What is noted within an
-- hour again changes nothing. Test tools have no server.
CREATE OR REPLACE FUNCTION app_store_reconcile_plan(p app_store_purchase) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO app_store_reconciliation AS r (due_at, bought_at, active_at, ledger_id, attempts)
    SELECT statement_timestamp() + interval '1 day', coalesce(p.purchased_at, p.signed_at), statement_timestamp(), p.ledger_id, 0
    WHERE p.environment IN ('Production', 'Sandbox')
    ON CONFLICT (ledger_id) DO UPDATE SET
        due_at = least(r.due_at, excluded.due_at), bought_at = greatest(r.bought_at, excluded.bought_at), active_at = excluded.active_at
    WHERE r.active_at < excluded.active_at - interval '1 hour' OR r.bought_at < excluded.bought_at;
END $$;
