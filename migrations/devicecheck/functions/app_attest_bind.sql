-- version: 1

-- Binds a key that was attested for a challenge to an account, and uses the challenge up. Gives bound, also for a key that the account has
-- since before, whose counter stays: so an app whose answer was lost repeats its request. Else challenge for one that is unknown, used or
-- over; taken for a key of another account; closed for an account that is nobody's.
CREATE OR REPLACE FUNCTION app_attest_bind(
    account uuid, challenge bytea, key bytea, point bytea, proof bytea, of_app text, world text, came integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
BEGIN
    IF NOT account_is_open(account) THEN RETURN 'closed'; END IF;
    DELETE FROM app_attest_challenge AS c
    WHERE c.challenge_hash = challenge AND c.account_id = account AND c.expires_at > statement_timestamp();
    IF NOT FOUND THEN
        PERFORM FROM app_attest_key AS k WHERE k.key_id = key AND k.account_id = account;
        RETURN CASE WHEN FOUND THEN 'bound' ELSE 'challenge' END;
    END IF;
    INSERT INTO app_attest_key (
        account_id, attested_at, used_at, counter, category, key_id, public_key, receipt, app, environment)
    VALUES (account, statement_timestamp(), statement_timestamp(), 0, came, key, point, proof, of_app, world)
    ON CONFLICT (key_id) DO NOTHING;
    IF FOUND THEN
        PERFORM device_note(account, NULL, json_build_array(json_build_object(
            'kind', 'attest', 'outcome', 'bound', 'detail', json_build_object(
                'app', of_app, 'environment', world, 'category', came))));
        RETURN 'bound';
    END IF;
    SELECT k.account_id INTO owner FROM app_attest_key AS k WHERE k.key_id = key;
    RETURN CASE WHEN owner = account THEN 'bound' ELSE 'taken' END;
END $$;
