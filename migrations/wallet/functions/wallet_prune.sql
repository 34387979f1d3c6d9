-- version: 1

-- Deletes passes that have ended and that no phone asks for any more, and those that ended long ago, at most so many. Gives how many.
CREATE OR REPLACE FUNCTION wallet_prune(pass_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    p wallet_pass;
    pruned integer := 0;
    phones text[];
BEGIN
    FOR p IN SELECT * FROM wallet_pass AS w WHERE w.is_final AND w.voided_at < statement_timestamp() - interval '30 days'
        AND (w.devices = 0 OR w.voided_at < statement_timestamp() - interval '400 days')
        ORDER BY w.voided_at LIMIT pass_limit
    LOOP
        -- The phones first, as wallet_register.
        phones := ARRAY(
            SELECT d.device FROM wallet_device AS d JOIN wallet_registration AS r USING (device, pass_type)
            WHERE r.pass_type = p.pass_type AND r.serial = p.serial ORDER BY d.device FOR UPDATE OF d);
        DELETE FROM wallet_registration AS r WHERE r.pass_type = p.pass_type AND r.serial = p.serial AND r.device = ANY (phones);
        DELETE FROM wallet_device AS d WHERE d.device = ANY (phones) AND d.pass_type = p.pass_type
            AND NOT EXISTS (SELECT FROM wallet_registration AS r WHERE r.device = d.device AND r.pass_type = d.pass_type);
        DELETE FROM wallet_pass AS w WHERE w.pass_type = p.pass_type AND w.serial = p.serial
            AND NOT EXISTS (SELECT FROM wallet_registration AS r WHERE r.pass_type = p.pass_type AND r.serial = p.serial);
        DELETE FROM wallet_member AS m WHERE m.account_id = p.account_id AND m.ended_at IS NOT NULL
            AND NOT EXISTS (SELECT FROM wallet_pass AS w WHERE w.account_id = p.account_id);
        pruned := pruned + 1;
    END LOOP;
    RETURN pruned;
END $$;
