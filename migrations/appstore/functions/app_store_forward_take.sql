-- version: 1

-- Takes some notifications that are to be sent on, for so many seconds: nobody else sends them meanwhile.
CREATE OR REPLACE FUNCTION app_store_forward_take(count_limit integer, lease bigint)
RETURNS TABLE (notification_id text, attempts integer, created_at timestamptz, body text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    UPDATE app_store_forward AS f SET due_at = statement_timestamp() + lease * interval '1 second', attempts = f.attempts + 1
    WHERE f.notification_id IN (
        SELECT w.notification_id FROM app_store_forward AS w WHERE w.due_at <= statement_timestamp()
        ORDER BY w.due_at LIMIT count_limit FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING f.notification_id, f.attempts, f.created_at, f.body;
END $$;
