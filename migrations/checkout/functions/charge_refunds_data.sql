-- version: 1

-- The newest refunds of a charge, in their order, as the interface shows them; as many as LedgerRules.shownRefunds of the program.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION charge_refunds_data(charge payment_object) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(json_agg(json_build_object(
            'object', 'refund', 'id', r.object_id, 'sessionId', r.webview_session_id, 'chargeId', r.parent,
            'state', lower(regexp_replace(r.state, '([a-z])([A-Z])', '\1_\2', 'g')), 'reasonCode', r.reason,
            'amount', money_json(r.amount, r.currency), 'reason', r.stated_reason, 'metadata', coalesce(r.metadata, '{}'::json),
            'createdAt', time_text(r.created_at), 'updatedAt', time_text(coalesce(r.object_updated_at, r.observed_at)))
            ORDER BY r.ordinal), '[]')
        FROM (
            SELECT q.* FROM payment_object AS q
            WHERE q.webview_session_id = charge.webview_session_id AND q.kind = 'refund' AND q.parent = charge.object_id
            ORDER BY q.ordinal DESC LIMIT 25) AS r);
END $$;
