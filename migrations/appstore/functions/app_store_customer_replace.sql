-- version: 1

-- Gives an account a token that its purchases have already, in the place of the one that it has; `replaced` is that one where it is another.
-- found, unknown for an account that is erased or never was, or taken where `wanted` is another account's.
CREATE OR REPLACE FUNCTION app_store_customer_replace(account uuid, wanted uuid, OUT outcome text, OUT token uuid, OUT replaced uuid)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT c.app_account_token INTO replaced FROM app_store_customer AS c WHERE c.account_id = account FOR NO KEY UPDATE;
    SELECT t.outcome, t.token INTO STRICT outcome, token FROM app_store_customer_token(account, wanted, true) AS t;
    IF outcome <> 'found' OR replaced = token THEN
        replaced := NULL;
    END IF;
END $$;
