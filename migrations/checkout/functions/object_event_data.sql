-- version: 1

-- An object of the ledger, as an event shows it.
CREATE OR REPLACE FUNCTION object_event_data(p payment_object) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'kind', p.kind, 'id', p.object_id, 'state', lower(regexp_replace(p.state, '([a-z])([A-Z])', '\1_\2', 'g')),
        'reasonCode', p.reason, 'amount', money_json(p.amount, p.currency))
$$;
