-- version: 1

-- Gives a claim back that is ours: nothing was done.
CREATE OR REPLACE FUNCTION claim_release(scope uuid, word text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM api_idempotency AS c WHERE c.key_id = scope AND c.idem = word;
END $$;
