-- version: 1

-- The orders of an account, for the person; NULL where there are none. Who bought and where to is not among them: the program cannot
-- read it.
CREATE OR REPLACE FUNCTION order_export(owner uuid) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT json_build_object('orders', json_agg(json_build_object(
            'sessionId', o.webview_session_id, 'number', order_number(o.webview_session_id), 'reference', o.reference,
            'state', CASE o.state WHEN 'created' THEN order_status(o.state, f.state, f.is_over) ELSE o.state END,
            'environment', o.environment, 'lines', order_lines_data(o.lines, o.currency),
            'adjustments', coalesce(order_adjustments_data(o.adjustments, o.currency), '[]'),
            'subtotal', money_json(o.subtotal, o.currency),
            'postage', money_json(coalesce(f.postage, o.postage), o.currency),
            'total', money_json(coalesce(f.total, o.total), o.currency),
            'captured', money_json(o.captured, o.currency), 'refunded', money_json(o.refunded, o.currency),
            'metadata', coalesce(o.metadata, '{}'), 'note', o.note,
            'createdAt', time_text(o.created_at), 'updatedAt', time_text(o.updated_at)) ORDER BY o.webview_session_id))
        FROM merchant_order AS o LEFT JOIN LATERAL (
            SELECT w.state, w.postage, w.total,
                is_waiting(w.state) AND statement_timestamp() >= least(w.idle_until, w.absolute_until) AS is_over
            FROM webview_session AS w WHERE w.webview_session_id = o.webview_session_id OFFSET 0) AS f ON true
        WHERE o.account_id = owner
        HAVING count(*) > 0);
END $$;
