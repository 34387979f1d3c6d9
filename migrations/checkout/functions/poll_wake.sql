-- version: 1

-- Has an object read as soon as possible, whatever its schedule says.
CREATE OR REPLACE FUNCTION poll_wake(object text, what object_kind, webview_session uuid) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO payment_poll AS p (object_id, kind, webview_session_id, since, next_at, polls, failures, notified)
    VALUES (object, what, webview_session, statement_timestamp(), statement_timestamp(), 0, 0, true)
    ON CONFLICT (object_id) DO UPDATE SET next_at = least(p.next_at, statement_timestamp()), notified = true
$$;
