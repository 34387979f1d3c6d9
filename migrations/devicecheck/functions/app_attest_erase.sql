-- version: 1

-- Erases keys and challenges of the apps of an account; gives the number of its keys. May be repeated.
CREATE OR REPLACE FUNCTION app_attest_erase(account uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    keys bigint;
BEGIN
    DELETE FROM app_attest_challenge AS c WHERE c.account_id = account;
    DELETE FROM app_attest_key AS k WHERE k.account_id = account;
    GET DIAGNOSTICS keys = ROW_COUNT;
    RETURN keys;
END $$;
