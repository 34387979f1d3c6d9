-- version: 1

-- A trigger, so that whichever statement gives a purchase up, its event is in the same commit.
CREATE OR REPLACE FUNCTION purchase_announce_stuck() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merchant_order AS o SET updated_at = statement_timestamp() WHERE o.webview_session_id = NEW.webview_session_id;
    PERFORM order_announce(NEW.webview_session_id, 'session.stuck', (
        SELECT json_build_object(
            'kind', 'session', 'id', o.checkout_session, 'state', 'stuck', 'reasonCode', NEW.reason,
            'amount', money_json(o.total, o.currency))
        FROM merchant_order AS o WHERE o.webview_session_id = NEW.webview_session_id));
    RETURN NULL;
END $$;
