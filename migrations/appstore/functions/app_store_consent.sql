-- version: 1

-- Notes whether the customer of an account agrees that Apple is told what was used of a purchase. NULL for an account that is erased or
-- never was.
CREATE OR REPLACE FUNCTION app_store_consent(account uuid, wanted uuid, is_given boolean, OUT consented_at timestamptz, OUT is_known boolean)
LANGUAGE plpgsql AS $$
BEGIN
    is_known := (SELECT t.outcome = 'found' FROM app_store_customer_token(account, wanted, false) AS t);
    IF is_known THEN
        UPDATE app_store_customer AS c SET consented_at = CASE WHEN is_given THEN coalesce(c.consented_at, statement_timestamp()) END
        WHERE c.account_id = account
        RETURNING c.consented_at INTO consented_at;
    END IF;
END $$;
