-- version: 2

-- Notes that a phone wants to hear of a pass, and where to wake it: the token counts for all its passes of the type, and is stored anew
-- each time. created or exists; unauthorized for a pass that is not there, or whose token is derived from another secret; full for one
-- that has 2,000 phones: whoever has a card might register any number, each of which is to be woken.
-- A phone that may have installed an older version than the newest is woken: it was not there to be told. Which one it has is not known
-- where several phones open a link, and what was fetched a moment ago is not written down yet; so each is woken behind a change of late,
-- and after a moment: a push may overtake the answer to the registration, before which a phone asks for nothing.
CREATE OR REPLACE FUNCTION wallet_register(type text, number text, phone text, token text, key_number integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    before text;
    pass wallet_pass;
BEGIN
    SELECT * INTO pass FROM wallet_pass AS p WHERE p.pass_type = type AND p.serial = number AND p.token_key = key_number;
    IF NOT FOUND THEN
        RETURN 'unauthorized';
    END IF;
    IF pass.devices >= 2000 AND NOT EXISTS (
        SELECT FROM wallet_registration AS r WHERE r.device = phone AND r.pass_type = type AND r.serial = number
    ) THEN
        RETURN 'full';
    END IF;
    SELECT d.push_token INTO before FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type;
    INSERT INTO wallet_device AS d (token_at, seen_at, device, pass_type, push_token)
    VALUES (statement_timestamp(), statement_timestamp(), phone, type, token)
    ON CONFLICT (device, pass_type) DO UPDATE
        SET push_token = excluded.push_token, token_at = excluded.token_at, seen_at = excluded.seen_at,
            accepted_at = CASE WHEN d.push_token = excluded.push_token THEN d.accepted_at END;
    INSERT INTO wallet_registration (created_at, device, pass_type, serial)
    VALUES (statement_timestamp(), phone, type, number) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        IF before <> token THEN
            PERFORM wallet_note(type, number, 'token_changed', phone, NULL);
        END IF;
        RETURN 'exists';
    END IF;
    UPDATE wallet_pass AS p SET devices = p.devices + 1, registered_at = coalesce(p.registered_at, statement_timestamp()),
        reregistered_at = statement_timestamp(), state = CASE WHEN p.is_final THEN p.state ELSE 'installed' END
    WHERE p.pass_type = type AND p.serial = number
    RETURNING p.* INTO STRICT pass;
    PERFORM wallet_note(type, number, 'registered', phone, json_build_object('devices', pass.devices));
    IF pass.devices = 1 THEN
        PERFORM wallet_announce(pass, 'wallet.pass.installed');
    END IF;
    IF pass.version > 1 AND (
        coalesce(pass.fetched_version, 1) < pass.version OR pass.modified_at > statement_timestamp() - interval '10 minutes'
    ) THEN
        PERFORM wallet_push(type, ARRAY[number], pass.tag, statement_timestamp() + interval '2 seconds');
    END IF;
    RETURN 'created';
END $$;
