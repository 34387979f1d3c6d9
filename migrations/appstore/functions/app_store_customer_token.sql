-- version: 1

-- The token that the app of an account passes with purchases: the one that is there, or `wanted` where there is none or it is forced.
-- found, unknown for an account that is erased or never was, or taken where `wanted` is another account's.
CREATE OR REPLACE FUNCTION app_store_customer_token(account uuid, wanted uuid, is_forced boolean, OUT outcome text, OUT token uuid)
LANGUAGE plpgsql AS $$
BEGIN
    outcome := 'unknown';
    IF NOT account_is_open(account) THEN
        RETURN;
    END IF;
    INSERT INTO app_store_customer (account_id, created_at, app_account_token) VALUES (account, statement_timestamp(), wanted)
    ON CONFLICT (account_id) DO NOTHING;
    IF is_forced THEN
        UPDATE app_store_customer AS c SET app_account_token = wanted WHERE c.account_id = account AND c.app_account_token <> wanted;
    END IF;
    SELECT c.app_account_token INTO STRICT token FROM app_store_customer AS c WHERE c.account_id = account;
    outcome := 'found';
EXCEPTION WHEN unique_violation THEN
    outcome := 'taken';
END $$;
