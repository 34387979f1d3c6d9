-- version: 1

-- All that is kept of an account and devices, for the person; NULL where there is nothing.
CREATE OR REPLACE FUNCTION device_export(account uuid) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE
    d device_account;
    claims json;
    history json;
BEGIN
    SELECT * INTO d FROM device_account AS a WHERE a.account_id = account;
    SELECT json_agg(json_build_object(
        'id', c.claim_id, 'purpose', c.purpose, 'status', c.status, 'begunAt', time_text(c.begun_at),
        'grantedAt', time_text(c.granted_at), 'grants', c.grants, 'mark', c.wanted) ORDER BY c.claim_id)
    INTO claims FROM device_claim AS c WHERE c.account_id = account;
    SELECT json_agg(device_history_json(h) ORDER BY h.history_id) INTO history FROM device_history AS h WHERE h.account_id = account;
    IF d.account_id IS NULL AND claims IS NULL AND history IS NULL THEN RETURN NULL; END IF;
    RETURN json_build_object(
        'waitingMark', d.queued, 'waitingFor', d.queued_for, 'waitingSince', time_text(d.queued_at),
        'releasedAt', time_text(d.released_at), 'claims', coalesce(claims, '[]'), 'history', coalesce(history, '[]'));
END $$;
