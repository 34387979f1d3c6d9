-- version: 1

-- Keeps the hash of a code with which the next device of an account is reset, in place of one before; false for an account that is erased
-- or unknown.
CREATE OR REPLACE FUNCTION device_reset_code(account uuid, digest bytea, who text, why text, life bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT account_is_open(account) THEN RETURN false; END IF;
    INSERT INTO device_account (account_id, refusals) VALUES (account, 0) ON CONFLICT DO NOTHING;
    UPDATE device_account AS a SET
        reset_hash = digest, reset_operator = who, reset_reason = why, reset_until = statement_timestamp() + life * interval '1 second'
    WHERE a.account_id = account;
    PERFORM device_note(account, NULL, json_build_array(json_build_object(
        'kind', 'reset-code', 'outcome', 'made', 'detail', json_build_object('operator', who, 'reason', why))));
    RETURN true;
END $$;
