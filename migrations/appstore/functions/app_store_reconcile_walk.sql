-- version: 1

-- Some customers whether they are due or not, by their ledgers: of an account, or of all that Apple is still asked about; of an environment,
-- or of all; behind a ledger.
CREATE OR REPLACE FUNCTION app_store_reconcile_walk(account uuid, realm text, after uuid, count_limit integer)
RETURNS SETOF app_store_reconciliation
LANGUAGE plpgsql STABLE ROWS 20 AS $$
BEGIN
    IF account IS NULL THEN
        RETURN QUERY
        SELECT r.* FROM app_store_reconciliation AS r
        WHERE r.ledger_id > after AND r.due_at < 'infinity' AND (
            realm IS NULL OR realm = (SELECT l.environment FROM app_store_ledger AS l WHERE l.ledger_id = r.ledger_id))
        ORDER BY r.ledger_id LIMIT count_limit;
    ELSE
        RETURN QUERY
        SELECT r.* FROM app_store_ledger AS l JOIN app_store_reconciliation AS r USING (ledger_id)
        WHERE l.account_id = account AND r.ledger_id > after AND (realm IS NULL OR l.environment = realm)
        ORDER BY r.ledger_id LIMIT count_limit;
    END IF;
END $$;
