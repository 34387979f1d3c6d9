-- The words of docs/decisions/0086, in a database that has the old ones; a new one has none of them.
-- Stop all processes before: none works with both. Locks: api_idempotency, to the end. Time: milliseconds.

DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = 'api_idempotency'::regclass AND a.attname = 'flow_id' AND NOT a.attisdropped)
    THEN
        ALTER TABLE api_idempotency RENAME COLUMN flow_id TO webview_session_id;
    END IF;
END $$;
