-- version: 1

-- The ledger of an account in an environment, opened where there is none; NULL for an account that is erased or unknown. No erasure of the
-- account begins before the transaction ends.
CREATE OR REPLACE FUNCTION app_store_ledger_of(account uuid, realm text) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    id uuid;
BEGIN
    IF NOT account_is_open(account) THEN
        RETURN NULL;
    END IF;
    SELECT l.ledger_id INTO id FROM app_store_ledger AS l WHERE l.account_id = account AND l.environment = realm;
    IF FOUND THEN
        RETURN id;
    END IF;
    INSERT INTO app_store_ledger (ledger_id, account_id, units, entries, environment) VALUES (id_new(), account, 0, 0, realm)
    ON CONFLICT (account_id, environment) DO NOTHING;
    SELECT l.ledger_id INTO STRICT id FROM app_store_ledger AS l WHERE l.account_id = account AND l.environment = realm;
    RETURN id;
END $$;
