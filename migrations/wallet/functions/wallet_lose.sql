-- version: 1

-- Takes away a phone that the push service calls gone, with all its registrations of the type; the passes stay. One whose token came at
-- that time or later has registered again since, and stays. NULL takes it away in any case. Gives the number of registrations.
CREATE OR REPLACE FUNCTION wallet_lose(phone text, type text, stored_before timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    number text;
    lost integer := 0;
BEGIN
    PERFORM FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type
        AND (stored_before IS NULL OR d.token_at < stored_before) FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    FOR number IN SELECT r.serial FROM wallet_registration AS r WHERE r.device = phone AND r.pass_type = type ORDER BY r.serial LOOP
        IF wallet_leave(type, number, phone, true) THEN
            lost := lost + 1;
        END IF;
    END LOOP;
    DELETE FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type;
    RETURN lost;
END $$;
