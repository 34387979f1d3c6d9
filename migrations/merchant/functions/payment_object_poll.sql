-- version: 1

-- The schedule follows the ledger, whoever writes it; what was found out in the state before is forgotten.
CREATE OR REPLACE FUNCTION payment_object_poll() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    pause interval := poll_pause(NEW.kind, NEW.state);
BEGIN
    IF pause IS NULL THEN
        DELETE FROM payment_poll AS p WHERE p.object_id = NEW.object_id AND NOT p.notified;
    ELSE
        INSERT INTO payment_poll AS p (object_id, kind, webview_session_id, since, next_at, polls, failures, notified)
        VALUES (NEW.object_id, NEW.kind, NEW.webview_session_id, statement_timestamp(), statement_timestamp() + pause, 0, 0, false)
        ON CONFLICT (object_id) DO UPDATE SET
            since = excluded.since, polls = 0, failures = 0, missing_since = NULL, expiry_notices = 0,
            next_at = CASE WHEN p.notified THEN p.next_at ELSE excluded.next_at END
        -- What a permission waits for counts from its beginning, whatever its state is meanwhile.
        WHERE p.kind <> 'permission';
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM notification AS n WHERE n.object_id = NEW.object_id AND n.outcome = 'unknown')
    THEN
        -- The message was faster than whoever made the object.
        PERFORM poll_wake(NEW.object_id, NEW.kind, NEW.webview_session_id);
    END IF;
    RETURN NULL;
END $$;
