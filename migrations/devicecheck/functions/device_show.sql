-- version: 1

-- Keeps the hash of a token that is shown without an account; false for one that was shown before.
CREATE OR REPLACE FUNCTION device_show(flow uuid, digest bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO device_token (flow_id, seen_at, token_hash, is_finished) VALUES (flow, statement_timestamp(), digest, true)
    ON CONFLICT (token_hash) DO NOTHING;
    RETURN FOUND;
END $$;
