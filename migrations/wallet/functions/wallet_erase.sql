-- version: 1

-- Ends the membership of an account that is erased, and takes the account off its passes; gives their number. Late phones can still
-- fetch the last version. May be repeated.
CREATE OR REPLACE FUNCTION wallet_erase(account uuid) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    passes integer;
BEGIN
    PERFORM wallet_end(account);
    UPDATE wallet_pass AS p SET account_id = NULL WHERE p.account_id = account;
    GET DIAGNOSTICS passes = ROW_COUNT;
    DELETE FROM wallet_member AS m WHERE m.account_id = account;
    RETURN passes;
END $$;
