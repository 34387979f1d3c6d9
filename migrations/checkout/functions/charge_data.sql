-- version: 1

-- A charge of the ledger, as the interface shows it.
CREATE OR REPLACE FUNCTION charge_data(p payment_object) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'object', 'charge', 'id', p.object_id, 'sessionId', p.webview_session_id, 'chargePermissionId', p.parent,
        'state', lower(regexp_replace(p.state, '([a-z])([A-Z])', '\1_\2', 'g')), 'reasonCode', p.reason,
        'amount', money_json(p.amount, p.currency), 'captured', money_json(p.captured, p.currency),
        'refunded', money_json(p.refunded, p.currency), 'capturedAt', time_text(p.captured_at),
        -- Nothing is given back of what was not captured.
        'refunds', CASE WHEN p.captured > 0 THEN charge_refunds_data(p) ELSE '[]'::json END,
        'reason', p.stated_reason, 'metadata', coalesce(p.metadata, '{}'::json), 'createdAt', time_text(p.created_at),
        'updatedAt', time_text(coalesce(p.object_updated_at, p.observed_at)))
$$;
