-- version: 1

-- Takes a message in: `taken`, `duplicate`, or `unknown` where no order has the object or what it stands under (`above`).
CREATE OR REPLACE FUNCTION notification_receive(message text, said text, object text, above text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    webview_session uuid;
    times integer;
BEGIN
    SELECT p.webview_session_id INTO webview_session FROM payment_object AS p
    WHERE p.object_id IN (object, above) ORDER BY p.object_id <> object LIMIT 1;
    IF said = 'CHARGEBACK' AND webview_session IS NOT NULL THEN
        -- Its event is numbered under the lock of the order, which comes before all others; messages about one chargeback come here
        -- one after the other.
        PERFORM FROM merchant_order AS o WHERE o.webview_session_id = webview_session FOR UPDATE;
    END IF;
    INSERT INTO notification AS n (message_id, received_at, kind, object_id, webview_session_id, outcome)
    VALUES (
        message, statement_timestamp(), said, object, webview_session,
        CASE WHEN webview_session IS NULL THEN 'unknown' ELSE 'taken' END)
    ON CONFLICT (message_id) DO UPDATE SET deliveries = n.deliveries + 1
    RETURNING n.deliveries INTO times;
    IF times > 1 THEN RETURN 'duplicate'; END IF;
    IF webview_session IS NULL THEN RETURN 'unknown'; END IF;
    IF said = 'CHARGEBACK' THEN
        -- Events are kept for longer than messages, and a chargeback takes longer than those are kept.
        IF NOT EXISTS (
            SELECT FROM event AS e
            WHERE e.subject_id = webview_session AND e.event_id >= id_before(webview_session) AND e.type = 'chargeback.received' AND e.data -> 'about' ->> 'id' = object)
        THEN
            PERFORM order_announce(webview_session, 'chargeback.received', json_build_object('kind', 'chargeback', 'id', object));
        END IF;
        -- It cannot be read itself; what it is about can.
        PERFORM poll_wake(p.object_id, p.kind, webview_session) FROM payment_object AS p
        WHERE p.webview_session_id = webview_session AND p.kind IN ('permission', 'charge') AND above IN (p.object_id, p.parent);
    ELSE
        PERFORM poll_wake(
            object, CASE said WHEN 'CHARGE' THEN 'charge' WHEN 'REFUND' THEN 'refund' ELSE 'permission' END::object_kind, webview_session);
    END IF;
    RETURN 'taken';
END $$;
