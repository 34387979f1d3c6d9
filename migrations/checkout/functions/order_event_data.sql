-- version: 2

-- An order as an event shows it: the session as the interface shows it, and in `about` what the event is about (`object`). `fresh` is a
-- charge that the same statement writes, or NULL.
-- Until an order has a state of its own its webview session says how far it has come, and what is to be paid. A statement that ends an
-- order sees its webview session as it was before, so the order's state goes first.
CREATE OR REPLACE FUNCTION order_event_data(o merchant_order, object json, fresh payment_object) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE
    f record;
    charges json;
    session json;
BEGIN
    SELECT coalesce(json_agg(charge_data(c.charge) ORDER BY (c.charge).ordinal), '[]') INTO charges
    FROM (
        SELECT p AS charge FROM payment_object AS p WHERE p.webview_session_id = o.webview_session_id AND p.kind = 'charge'
        UNION ALL
        SELECT fresh WHERE fresh.kind = 'charge') AS c;
    SELECT w.state, w.postage, w.total, w.terms,
        CASE WHEN o.state = 'created' AND is_waiting(w.state) THEN least(w.idle_until, w.absolute_until)
            -- The statement that declines a payment moves the nearer deadline, which is not seen yet.
            WHEN o.state = 'declined' AND (is_waiting(w.state) OR w.state = 'purchasing') THEN w.absolute_until END AS ends_at,
        statement_timestamp() >= least(w.idle_until, w.absolute_until) AND is_waiting(w.state) AS is_over
    INTO f FROM webview_session AS w WHERE w.webview_session_id = o.webview_session_id;
    session := json_build_object(
        'object', 'session', 'id', o.webview_session_id, 'number', order_number(o.webview_session_id), 'reference', o.reference,
        'state', CASE o.state WHEN 'created' THEN order_status(o.state, f.state, f.is_over) ELSE o.state END,
        'client', o.client, 'environment', o.environment, 'currency', o.currency,
        'pricesIncludeTax', o.taxes IS NOT NULL,
        'lines', order_lines_data(o.lines, o.currency),
        'adjustments', coalesce(order_adjustments_data(o.adjustments, o.currency), '[]'),
        'postageTaxRate', o.taxes -> 'postage',
        'amounts', json_build_object(
            'subtotal', money_json(o.subtotal, o.currency),
            'tax', money_json(order_tax(o.tax, o.taxes, coalesce(f.postage, o.postage)), o.currency),
            'taxes', order_taxes_data(o.taxes, coalesce(f.postage, o.postage), o.currency),
            'postage', money_json(coalesce(f.postage, o.postage), o.currency),
            'total', money_json(coalesce(f.total, o.total), o.currency),
            'captured', money_json(o.captured, o.currency), 'refunded', money_json(o.refunded, o.currency)),
        'checkoutSessionId', o.checkout_session, 'chargePermissionId', o.charge_permission, 'charges', charges,
        'lastDecline', CASE WHEN o.declined_at IS NOT NULL THEN
            json_build_object('reasonCode', o.decline_reason, 'at', time_text(o.declined_at)) END,
        'metadata', coalesce(o.metadata, '{}'), 'note', o.note,
        'captureMode', CASE WHEN f.terms IS NOT NULL THEN coalesce(f.terms ->> 'capture', 'manual') END,
        'returnUrl', f.terms ->> 'returnUrl',
        'delivery', CASE WHEN f.terms IS NOT NULL THEN coalesce((f.terms ->> 'delivery')::boolean, true) END,
        'deliveryRestrictions', f.terms -> 'deliveryRestrictions',
        'uniqueReference', CASE WHEN f.terms IS NOT NULL THEN coalesce((f.terms ->> 'uniqueReference')::boolean, false) END,
        'closeReason', (SELECT p.stated_reason FROM payment_object AS p WHERE p.object_id = o.charge_permission),
        'createdAt', time_text(o.created_at), 'updatedAt', time_text(o.updated_at),
        'expiresAt', time_text(f.ends_at), 'about', object);
    -- Absent where nobody was named.
    IF o.account_id IS NOT NULL THEN
        session := left(session::text, -1) || format(', "accountId" : "%s"}', o.account_id);
    END IF;
    -- Absent where nobody has to look, as the interface has it. As text: jsonb refuses escapes that json keeps.
    RETURN CASE WHEN order_needs_attention(o.webview_session_id, o.charge_permission, o.state, o.declined_at, f.state)
        THEN (left(session::text, -1) || ', "needsAttention" : true}')::json ELSE session END;
END $$;

-- The same for who writes no charge beside it.
CREATE OR REPLACE FUNCTION order_event_data(o merchant_order, object json) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT order_event_data(o, object, NULL::payment_object)
$$;
