-- version: 1

-- Deletes some challenges that are over, and some keys that were not used for a time in seconds; gives the greater of both numbers.
CREATE OR REPLACE FUNCTION app_attest_prune(keep bigint, count_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    challenges bigint;
    keys bigint;
BEGIN
    DELETE FROM app_attest_challenge AS c WHERE c.challenge_hash IN (
        SELECT w.challenge_hash FROM app_attest_challenge AS w WHERE w.expires_at < statement_timestamp()
        ORDER BY w.expires_at LIMIT count_limit);
    GET DIAGNOSTICS challenges = ROW_COUNT;
    DELETE FROM app_attest_key AS k WHERE k.key_id IN (
        SELECT w.key_id FROM app_attest_key AS w WHERE w.used_at < statement_timestamp() - keep * interval '1 second'
        ORDER BY w.used_at LIMIT count_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS keys = ROW_COUNT;
    RETURN greatest(challenges, keys);
END $$;
