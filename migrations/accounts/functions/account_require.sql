-- version: 1

-- The id of an account that is open; no erasure of it begins before the transaction ends. Otherwise the statement fails and leaves
-- nothing behind: SY002 where there is no such account, SY003 where it is erased.
CREATE OR REPLACE FUNCTION account_require(id uuid) RETURNS uuid
LANGUAGE plpgsql AS $$
BEGIN
    IF account_is_open(id) THEN
        RETURN id;
    END IF;
    IF EXISTS (SELECT FROM account AS a WHERE a.account_id = id) THEN
        RAISE EXCEPTION USING ERRCODE = 'SY003', MESSAGE = 'the account is erased';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'SY002', MESSAGE = 'there is no such account';
END $$;
