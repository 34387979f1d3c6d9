-- version: 1

-- Notes that a phone does not want to hear of a pass any more. removed; absent where it did not; unauthorized as wallet_register.
CREATE OR REPLACE FUNCTION wallet_unregister(type text, number text, phone text, key_number integer) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM wallet_pass AS p WHERE p.pass_type = type AND p.serial = number AND p.token_key = key_number;
    IF NOT FOUND THEN
        RETURN 'unauthorized';
    END IF;
    -- The phone first and the registration then, as wallet_register: otherwise each might wait for the other. Without a phone there was no
    -- registration either.
    PERFORM FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type FOR UPDATE;
    IF NOT FOUND OR NOT wallet_leave(type, number, phone, false) THEN
        RETURN 'absent';
    END IF;
    DELETE FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type
        AND NOT EXISTS (SELECT FROM wallet_registration AS r WHERE r.device = phone AND r.pass_type = type);
    RETURN 'removed';
END $$;
