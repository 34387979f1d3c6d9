-- version: 1

-- Puts fresh events into the queues of those who want them. Rows are locked in one order, that of the webview sessions, as groups of
-- statements are sorted: two of them never wait for each other.
CREATE OR REPLACE FUNCTION webhook_enqueue() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- Most shops have no endpoint, and a reading costs less than a join that finds nothing.
    IF NOT EXISTS (SELECT FROM webhook_endpoint AS e WHERE e.removed_at IS NULL) THEN
        RETURN NULL;
    END IF;
    INSERT INTO webhook_delivery_queue (endpoint_id, webview_session_id, head, tail, next_at, since, failures)
    SELECT e.endpoint_id, v.webview_session_id, min(v.sequence), max(v.sequence), statement_timestamp(), min(v.at), 0
    FROM fresh AS v JOIN webhook_endpoint AS e ON e.removed_at IS NULL AND (e.types = '{}' OR v.type = ANY (e.types))
    GROUP BY v.webview_session_id, e.endpoint_id
    ORDER BY v.webview_session_id, e.endpoint_id
    ON CONFLICT (endpoint_id, webview_session_id) DO UPDATE SET tail = greatest(webhook_delivery_queue.tail, excluded.tail);
    RETURN NULL;
END $$;
