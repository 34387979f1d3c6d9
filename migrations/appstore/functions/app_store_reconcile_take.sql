-- version: 1

-- Takes some customers that are due, for so many seconds: nobody else asks about them meanwhile.
CREATE OR REPLACE FUNCTION app_store_reconcile_take(count_limit integer, lease bigint) RETURNS SETOF app_store_reconciliation
LANGUAGE plpgsql ROWS 20 AS $$
BEGIN
    RETURN QUERY
    UPDATE app_store_reconciliation AS r SET due_at = statement_timestamp() + lease * interval '1 second'
    WHERE r.ledger_id = ANY (ARRAY(
        SELECT w.ledger_id FROM app_store_reconciliation AS w
        WHERE w.due_at <= statement_timestamp() ORDER BY w.due_at LIMIT count_limit FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING r.*;
END $$;
