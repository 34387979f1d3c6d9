-- version: 1

-- Takes an account off its ledgers and purchases, which stay as nobody's: a purchase that was granted is never granted again. Gives the
-- number of its purchases. May be repeated.
CREATE OR REPLACE FUNCTION app_store_erase(account uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    purchases bigint;
BEGIN
    UPDATE app_store_purchase AS p SET app_account_token = NULL
    FROM app_store_ledger AS l WHERE l.account_id = account AND p.ledger_id = l.ledger_id;
    GET DIAGNOSTICS purchases = ROW_COUNT;
    UPDATE app_store_entry AS e SET reference = NULL
    FROM app_store_ledger AS l WHERE l.account_id = account AND e.ledger_id = l.ledger_id AND e.reference IS NOT NULL;
    UPDATE app_store_ledger AS l SET account_id = NULL WHERE l.account_id = account;
    DELETE FROM app_store_customer AS c WHERE c.account_id = account;
    RETURN purchases;
END $$;
