-- version: 1

-- Lists fresh events. The order of a session's row is locked by whoever writes its events, so the one before is there. Where somebody has
-- put another event under the same number, the number is listed already, and with it both.
CREATE OR REPLACE FUNCTION merchant_event_list() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO merchant_event_feed (webview_session_id, sequence, xact, at)
    SELECT v.webview_session_id, v.sequence, greatest(pg_current_xact_id()::text::bigint, (
        SELECT b.xact FROM merchant_event_feed AS b
        WHERE b.webview_session_id = v.webview_session_id AND b.sequence = v.sequence - 1)), v.at
    FROM fresh AS v ORDER BY v.webview_session_id, v.sequence
    ON CONFLICT (webview_session_id, sequence) DO NOTHING;
    RETURN NULL;
END $$;
