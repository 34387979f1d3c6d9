-- version: 1

-- The service role adds to the trail through this and operator_end alone: it neither chooses times nor changes what is written.
-- Gives the number of the decision and a secret of 122 random bits, which is stored as its hash: whoever completes the decision has to
-- show it, so that no other session of the role can.
CREATE OR REPLACE FUNCTION operator_begin(who text, what text, about text, why text, found json, OUT event bigint, OUT secret uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    secret := gen_random_uuid();
    INSERT INTO operator_event (operator, command, target, reason, before, secret_hash)
    -- $5 because FOUND is a variable of every function in PL/pgSQL.
    VALUES (who, what, about, why, $5, sha256(uuid_send(secret))) RETURNING event_id INTO event;
END $$;

REVOKE EXECUTE ON FUNCTION operator_begin FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_begin TO sallyport_service;
