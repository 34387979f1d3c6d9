-- version: 1

-- Writes a claim down before its device is marked; false for a request that has taken so long that another one may have begun.
CREATE OR REPLACE FUNCTION device_plan(account uuid, flow uuid, aim text, wish text, lease bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE device_account AS a SET busy_until = statement_timestamp() + lease * interval '1 second'
    WHERE a.account_id = account AND a.busy_flow = flow AND a.busy_until > statement_timestamp();
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO device_claim AS c (claim_id, account_id, flow_id, begun_at, grants, purpose, status, wanted)
    VALUES (id_new(), account, flow, statement_timestamp(), 0, aim, 'pending', wish)
    ON CONFLICT (account_id, purpose) DO UPDATE SET
        flow_id = flow, begun_at = statement_timestamp(), status = 'pending', wanted = wish;
    RETURN true;
END $$;
