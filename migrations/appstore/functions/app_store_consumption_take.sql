-- version: 2

-- Takes some requests of Apple that are due, for a minute: nobody else works on them meanwhile. One whose customer has not agreed stays
-- open, as the customer still may; those for which it is too late are ended here, as no_consent without one. What was spent of a ledger was
-- spent of its oldest purchases first.
CREATE OR REPLACE FUNCTION app_store_consumption_take(count_limit integer)
RETURNS TABLE (notification_id text, environment text, transaction_id text, type text, granted bigint, used bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    UPDATE app_store_consumption AS c SET state = CASE WHEN EXISTS (
            SELECT FROM app_store_purchase AS p JOIN app_store_ledger AS l USING (ledger_id)
                JOIN app_store_customer AS u ON u.account_id = l.account_id
            WHERE p.purchase_id = c.purchase_id AND u.consented_at IS NOT NULL
        ) THEN 'late' ELSE 'no_consent' END
    WHERE c.state = 'open' AND c.ends_at <= statement_timestamp();
    RETURN QUERY
    WITH due AS (
        SELECT c.notification_id, c.purchase_id, p.ledger_id, p.environment, p.transaction_id, p.type, p.granted
        FROM app_store_consumption AS c JOIN app_store_purchase AS p USING (purchase_id) JOIN app_store_ledger AS l USING (ledger_id)
            JOIN app_store_customer AS u ON u.account_id = l.account_id
        WHERE c.state = 'open' AND c.due_at <= statement_timestamp() AND u.consented_at IS NOT NULL
        ORDER BY c.due_at LIMIT count_limit FOR NO KEY UPDATE OF c SKIP LOCKED
    ), taken AS (
        UPDATE app_store_consumption AS c SET due_at = statement_timestamp() + interval '60 seconds', attempts = c.attempts + 1
        FROM due AS d WHERE c.notification_id = d.notification_id
        RETURNING c.notification_id
    )
    SELECT d.notification_id, d.environment, d.transaction_id, d.type, d.granted, app_store_used(d.ledger_id, d.purchase_id, d.granted)
    FROM taken AS t JOIN due AS d USING (notification_id);
END $$;
