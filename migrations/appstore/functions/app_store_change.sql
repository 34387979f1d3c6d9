-- version: 1

-- Spends units of an account, or corrects them; gives the sum of afterwards. Only what there is can be spent.
-- changed, too_few, too_many, or unknown for an account that is erased or never was.
CREATE OR REPLACE FUNCTION app_store_change(
    account uuid, realm text, what text, change bigint, note text, OUT outcome text, OUT balance bigint
)
LANGUAGE plpgsql AS $$
DECLARE
    ledger uuid := app_store_ledger_of(account, realm);
BEGIN
    IF ledger IS NULL THEN
        outcome := 'unknown';
        RETURN;
    END IF;
    SELECT l.units INTO STRICT balance FROM app_store_ledger AS l WHERE l.ledger_id = ledger FOR NO KEY UPDATE;
    outcome := CASE
        WHEN what = 'spend' AND balance + change < 0 THEN 'too_few'
        WHEN abs(balance + change) > 1000000000000   THEN 'too_many'
        ELSE 'changed'
    END;
    IF outcome = 'changed' THEN
        balance := app_store_enter(ledger, what, change, NULL, note);
    END IF;
END $$;
