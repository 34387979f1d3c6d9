-- version: 1

-- The account of an external id, opened under `id` where there is none. No erasure of it begins before the transaction ends, so what
-- the transaction adds to the account is erased with it. Without an external id a new account each time.
CREATE OR REPLACE FUNCTION account_open(wanted text, id uuid, at timestamptz) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    known uuid;
BEGIN
    LOOP
        SELECT a.account_id INTO known FROM account AS a WHERE a.external_id = wanted FOR KEY SHARE;
        IF FOUND THEN RETURN known; END IF;
        INSERT INTO account (account_id, created_at, external_id) VALUES (id, at, wanted) ON CONFLICT (external_id) DO NOTHING;
        IF FOUND THEN RETURN id; END IF;
        -- Somebody else has opened it meanwhile.
    END LOOP;
END $$;
