-- version: 1

-- A row of the history, as programs are answered.
CREATE OR REPLACE FUNCTION device_history_json(h device_history) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'id', h.history_id, 'at', time_text(id_moment(h.history_id)), 'checkId', h.flow_id, 'kind', h.kind, 'purpose', h.purpose,
        'outcome', h.outcome, 'detail', h.detail)
$$;
