-- version: 1

-- A pass as the shop's programs have it; with its phones, its history and what phones say of it, or without. Nothing of it opens
-- anything: a phone is the beginning of a hash.
CREATE OR REPLACE FUNCTION wallet_pass_json(p wallet_pass, is_whole boolean) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN json_strip_nulls(json_build_object(
        'passType', p.pass_type, 'serialNumber', p.serial, 'template', p.template, 'state', p.state, 'version', p.version,
        'devices', p.devices, 'createdAt', time_text(p.created_at), 'modifiedAt', time_text(p.modified_at),
        'linkOpenedAt', time_text(p.link_opened_at), 'registeredAt', time_text(p.registered_at),
        'lastRegisteredAt', time_text(p.reregistered_at), 'fetchedAt', time_text(p.fetched_at),
        'fetchedVersion', p.fetched_version, 'voidedAt', time_text(p.voided_at),
        'phones', CASE WHEN is_whole THEN (
            SELECT coalesce(json_agg(json_build_object(
                'device', wallet_device_name(r.device), 'registeredAt', time_text(r.created_at), 'seenAt', time_text(d.seen_at),
                'pushedAt', time_text(d.pushed_at), 'pushStatus', d.push_status, 'pushReason', d.push_reason
            ) ORDER BY r.created_at), '[]')
            FROM wallet_registration AS r JOIN wallet_device AS d USING (device, pass_type)
            WHERE r.pass_type = p.pass_type AND r.serial = p.serial
        ) END,
        'history', CASE WHEN is_whole THEN (
            SELECT coalesce(json_agg(json_build_object(
                'at', time_text(id_moment(h.history_id)), 'kind', h.kind, 'device', h.device, 'detail', h.detail)), '[]')
            FROM (
                SELECT * FROM wallet_history AS w WHERE w.pass_type = p.pass_type AND w.serial = p.serial
                ORDER BY w.history_id DESC LIMIT 50
            ) AS h
        ) END,
        'errors', CASE WHEN is_whole THEN (
            SELECT coalesce(json_agg(json_build_object(
                'at', time_text(id_moment(l.log_id)), 'kind', l.kind, 'device', l.device, 'message', l.message)), '[]')
            FROM (
                SELECT * FROM wallet_device_log AS w WHERE w.pass_type = p.pass_type AND w.serial = p.serial
                ORDER BY w.log_id DESC LIMIT 20
            ) AS l
        ) END
    ));
END $$;
