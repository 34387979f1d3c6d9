-- version: 1

-- Numbers an event of an order and writes it down. The order must be locked.
CREATE OR REPLACE FUNCTION order_announce(webview_session uuid, event text, object json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH o AS (
        UPDATE merchant_order AS o SET events = o.events + 1 WHERE o.webview_session_id = webview_session
        RETURNING o.webview_session_id, o.events, order_event_data(o, object) AS data
    )
    INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
    SELECT o.webview_session_id, id_new(), o.events, statement_timestamp(), 'session', event, o.data FROM o;
END $$;
