-- version: 1

-- Deletes some tokens that were shown more than a day ago, and some claims that nobody has finished; gives the greater of both numbers.
CREATE OR REPLACE FUNCTION device_prune(finish bigint, count_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    tokens bigint;
    claims bigint;
BEGIN
    DELETE FROM device_token AS t WHERE t.token_hash IN (
        SELECT w.token_hash FROM device_token AS w WHERE w.seen_at < statement_timestamp() - interval '24 hours'
        ORDER BY w.seen_at LIMIT count_limit);
    GET DIAGNOSTICS tokens = ROW_COUNT;
    DELETE FROM device_claim AS c WHERE c.grants = 0 AND c.claim_id IN (
        SELECT w.claim_id FROM device_claim AS w
        WHERE w.grants = 0 AND w.begun_at < statement_timestamp() - finish * interval '1 second' - interval '1 hour'
        ORDER BY w.begun_at LIMIT count_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS claims = ROW_COUNT;
    RETURN greatest(tokens, claims);
END $$;
