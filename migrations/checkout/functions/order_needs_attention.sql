-- version: 1

-- Whether a person has to look at an order: its purchase, or an operation on its payment, was given up. `purchase` is the state of its
-- webview session, NULL where that is not kept any more.
-- A statement that ends an order sees its webview session as it was before, so the order's own state goes first: what that statement
-- declines is over, what was declined before may be paid for again.
CREATE OR REPLACE FUNCTION order_needs_attention(
    webview_session uuid, permission text, state order_state, declined_at timestamptz, purchase webview_session_state
) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF permission IS NOT NULL THEN
        RETURN EXISTS (
            SELECT FROM payment_object AS p WHERE p.webview_session_id = webview_session AND p.open_operation IS NOT NULL AND (
                SELECT q.state FROM payment_operation AS q WHERE q.operation_id = p.open_operation) = 'stuck');
    END IF;
    IF purchase IS DISTINCT FROM 'purchasing' THEN RETURN false; END IF;
    IF state IN ('created', 'payment_pending') OR state = 'declined' AND coalesce(declined_at < statement_timestamp(), true) THEN
        RETURN EXISTS (
            SELECT FROM webview_session_purchase AS q WHERE q.webview_session_id = webview_session AND q.stuck_at IS NOT NULL);
    END IF;
    RETURN false;
END $$;
