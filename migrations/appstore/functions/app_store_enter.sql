-- version: 1

-- Adds an entry to a ledger; gives the sum of afterwards. Whoever changes the same ledger waits for the commit.
CREATE OR REPLACE FUNCTION app_store_enter(ledger uuid, what text, change bigint, purchase uuid, note text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
    place bigint;
BEGIN
    UPDATE app_store_ledger AS l SET units = l.units + change, entries = l.entries + 1 WHERE l.ledger_id = ledger
    RETURNING l.units, l.entries INTO STRICT total, place;
    INSERT INTO app_store_entry (ledger_id, sequence, at, units, balance, purchase_id, kind, reference)
    VALUES (ledger, place, statement_timestamp(), change, total, purchase, what, note);
    RETURN total;
END $$;
