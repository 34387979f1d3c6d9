-- version: 3

-- Takes an account off its ledgers and purchases, which stay as nobody's: a purchase that was granted is never granted again. What the
-- store has sent about them goes, and Apple is not asked about them any more. Gives the number of its purchases. May be repeated.
CREATE OR REPLACE FUNCTION app_store_erase(account uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    purchases bigint;
BEGIN
    UPDATE app_store_purchase AS p SET app_account_token = NULL
    FROM app_store_ledger AS l WHERE l.account_id = account AND p.ledger_id = l.ledger_id;
    GET DIAGNOSTICS purchases = ROW_COUNT;
    DELETE FROM app_store_consumption AS c USING app_store_ledger AS l JOIN app_store_purchase AS p USING (ledger_id)
    WHERE l.account_id = account AND c.purchase_id = p.purchase_id;
    DELETE FROM app_store_notification AS n USING app_store_ledger AS l JOIN app_store_purchase AS p USING (ledger_id)
    WHERE l.account_id = account AND n.transaction_id = p.transaction_id AND n.environment = p.environment;
    UPDATE app_store_entry AS e SET reference = NULL
    FROM app_store_ledger AS l WHERE l.account_id = account AND e.ledger_id = l.ledger_id AND e.reference IS NOT NULL;
    DELETE FROM app_store_reconciliation AS r USING app_store_ledger AS l WHERE l.account_id = account AND r.ledger_id = l.ledger_id;
    UPDATE app_store_ledger AS l SET account_id = NULL WHERE l.account_id = account;
    DELETE FROM app_store_gift AS g WHERE g.account_id = account;
    DELETE FROM app_store_customer AS c WHERE c.account_id = account;
    RETURN purchases;
END $$;
