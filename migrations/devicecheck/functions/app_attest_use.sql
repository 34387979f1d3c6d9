-- version: 1

-- Takes an assertion whose signature is good: uses its challenge up and moves the counter of its key, which only goes up, so that of
-- several with one counter one passes. Gives passed; challenge for one that is unknown, used or over; counter for one that was overtaken.
CREATE OR REPLACE FUNCTION app_attest_use(account uuid, challenge bytea, key bytea, moved bigint) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM app_attest_challenge AS c
    WHERE c.challenge_hash = challenge AND c.account_id = account AND c.expires_at > statement_timestamp();
    IF NOT FOUND THEN RETURN 'challenge'; END IF;
    UPDATE app_attest_key AS k SET counter = moved, used_at = statement_timestamp()
    WHERE k.key_id = key AND k.account_id = account AND k.counter < moved;
    RETURN CASE WHEN FOUND THEN 'passed' ELSE 'counter' END;
END $$;
