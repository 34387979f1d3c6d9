-- version: 1

-- Announces what happened to a pass, by its serial number, to whoever wants it.
CREATE OR REPLACE FUNCTION wallet_announce(p wallet_pass, event text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_announce('pass', p.serial::uuid, event, json_build_object(
        'accountId', p.account_id, 'passType', p.pass_type, 'serialNumber', p.serial, 'state', p.state,
        'version', p.version, 'devices', p.devices));
END $$;
