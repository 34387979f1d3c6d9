-- version: 1

-- An object of the ledger, as an event shows it. A charge has its sums beside it, a refund those of its charge: whoever puts them in the
-- place of what is known of `chargeId` has the sums of the ledger.
CREATE OR REPLACE FUNCTION object_event_data(p payment_object) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    charge payment_object := p;
    word text := lower(regexp_replace(p.state, '([a-z])([A-Z])', '\1_\2', 'g'));
BEGIN
    IF p.kind = 'refund' THEN
        SELECT * INTO charge FROM payment_object AS c
        WHERE c.object_id = p.parent AND c.webview_session_id = p.webview_session_id;
    ELSIF p.kind <> 'charge' THEN
        RETURN json_build_object(
            'kind', p.kind, 'id', p.object_id, 'state', word, 'reasonCode', p.reason, 'amount', money_json(p.amount, p.currency));
    END IF;
    RETURN json_build_object(
        'kind', p.kind, 'id', p.object_id, 'state', word, 'reasonCode', p.reason, 'amount', money_json(p.amount, p.currency),
        'chargeId', charge.object_id, 'captured', money_json(charge.captured, p.currency),
        'refunded', money_json(charge.refunded, p.currency));
END $$;
