-- version: 1

-- Erases all that is kept of an account and devices; gives the number of its claims. The bits at Apple are nobody's, and stay. May be
-- repeated.
CREATE OR REPLACE FUNCTION device_erase(account uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    claims bigint;
BEGIN
    DELETE FROM device_account AS a WHERE a.account_id = account;
    DELETE FROM device_claim AS c WHERE c.account_id = account;
    GET DIAGNOSTICS claims = ROW_COUNT;
    DELETE FROM device_history AS h WHERE h.account_id = account;
    RETURN claims;
END $$;
