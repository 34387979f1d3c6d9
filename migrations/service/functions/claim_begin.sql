-- version: 1

-- Takes the claim of a request for a function that carries it out, or takes over the one of somebody who is gone; whether it is ours.
CREATE OR REPLACE FUNCTION claim_begin(scope uuid, word text, print bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO api_idempotency AS c (key_id, idem, fingerprint, created_at, lease_until)
    VALUES (scope, word, print, statement_timestamp(), statement_timestamp() + interval '60 seconds')
    ON CONFLICT (key_id, idem) DO UPDATE SET created_at = excluded.created_at, lease_until = excluded.lease_until
        WHERE c.answer IS NULL AND c.lease_until <= statement_timestamp() AND c.fingerprint = excluded.fingerprint;
    RETURN FOUND;
END $$;
