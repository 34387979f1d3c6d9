-- version: 1

-- Takes a registration away whose row of the phone is locked; the pass stays. Whether there was one.
CREATE OR REPLACE FUNCTION wallet_leave(type text, number text, phone text, is_lost boolean) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    pass wallet_pass;
BEGIN
    DELETE FROM wallet_registration AS r WHERE r.device = phone AND r.pass_type = type AND r.serial = number;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE wallet_pass AS p SET devices = p.devices - 1, state = CASE
            WHEN p.is_final OR p.devices > 1 THEN p.state
            WHEN is_lost                     THEN 'lost'
            ELSE 'removed'
        END
    WHERE p.pass_type = type AND p.serial = number
    RETURNING p.* INTO STRICT pass;
    PERFORM wallet_note(type, number, CASE WHEN is_lost THEN 'push_dead' ELSE 'unregistered' END, phone,
        json_build_object('devices', pass.devices));
    IF pass.devices = 0 THEN
        PERFORM wallet_announce(pass, CASE WHEN is_lost THEN 'wallet.pass.lost' ELSE 'wallet.pass.removed' END);
    END IF;
    RETURN true;
END $$;
