-- version: 1

-- Whether there is an account that is not erased. No erasure of it begins before the transaction ends, as with account_open.
CREATE OR REPLACE FUNCTION account_is_open(id uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM account AS a WHERE a.account_id = id AND a.erased_at IS NULL FOR KEY SHARE;
    RETURN FOUND;
END $$;
