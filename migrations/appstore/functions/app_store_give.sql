-- version: 1

-- Gives units to an account for a purpose, once for ever; whoever tells of the same at the same time waits for the commit.
-- given, known, too_many, or unknown for an account that is erased or never was.
CREATE OR REPLACE FUNCTION app_store_give(account uuid, realm text, wanted text, change bigint, event uuid) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    said record;
BEGIN
    IF NOT account_is_open(account) THEN
        RETURN 'unknown';
    END IF;
    INSERT INTO app_store_gift (given_at, account_id, units, event_id, purpose)
    VALUES (statement_timestamp(), account, change, event, wanted) ON CONFLICT (account_id, purpose) DO NOTHING;
    IF NOT FOUND THEN
        RETURN 'known';
    END IF;
    SELECT * INTO STRICT said FROM app_store_change(account, realm, 'correction', change, wanted);
    IF said.outcome <> 'changed' THEN
        DELETE FROM app_store_gift AS g WHERE g.account_id = account AND g.purpose = wanted;
        RETURN said.outcome;
    END IF;
    RETURN 'given';
END $$;
