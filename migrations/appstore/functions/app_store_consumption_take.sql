-- version: 1

-- Takes some requests of Apple that are due, for a minute: nobody else works on them meanwhile. Those without consent, and those for which
-- it is too late, are ended here. What was spent of a ledger was spent of its oldest purchases first.
CREATE OR REPLACE FUNCTION app_store_consumption_take(count_limit integer)
RETURNS TABLE (notification_id text, environment text, transaction_id text, type text, granted bigint, used bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    UPDATE app_store_consumption AS c SET state = 'late' WHERE c.state = 'open' AND c.ends_at <= statement_timestamp();
    RETURN QUERY
    WITH due AS (
        SELECT c.notification_id, c.purchase_id FROM app_store_consumption AS c
        WHERE c.state = 'open' AND c.due_at <= statement_timestamp() ORDER BY c.due_at LIMIT count_limit FOR NO KEY UPDATE SKIP LOCKED
    ), facts AS (
        SELECT d.notification_id, p.*, u.consented_at IS NOT NULL AS is_agreed
        FROM due AS d JOIN app_store_purchase AS p USING (purchase_id) LEFT JOIN app_store_ledger AS l USING (ledger_id)
            LEFT JOIN app_store_customer AS u ON u.account_id = l.account_id
    ), taken AS (
        UPDATE app_store_consumption AS c SET due_at = statement_timestamp() + interval '60 seconds', attempts = c.attempts + 1,
            state = CASE WHEN f.is_agreed THEN 'open' ELSE 'no_consent' END
        FROM facts AS f WHERE c.notification_id = f.notification_id
        RETURNING c.notification_id, c.state
    )
    SELECT f.notification_id, f.environment, f.transaction_id, f.type, f.granted, app_store_used(f.ledger_id, f.purchase_id, f.granted)
    FROM taken AS t JOIN facts AS f USING (notification_id) WHERE t.state = 'open';
END $$;
