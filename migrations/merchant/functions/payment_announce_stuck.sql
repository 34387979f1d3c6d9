-- version: 1

-- A trigger, so that whichever statement gives an operation up, its event is in the same commit.
CREATE OR REPLACE FUNCTION payment_announce_stuck() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merchant_order AS o SET updated_at = statement_timestamp() WHERE o.webview_session_id = NEW.webview_session_id;
    PERFORM order_announce(NEW.webview_session_id, 'payment.stuck', json_build_object(
        'kind', NEW.kind, 'id', NEW.target, 'state', 'stuck', 'reasonCode', NEW.reason,
        'amount', money_json(NEW.amount, NEW.currency), 'operationId', NEW.operation_id));
    RETURN NULL;
END $$;
