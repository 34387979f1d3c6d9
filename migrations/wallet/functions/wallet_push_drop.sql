-- version: 1

-- Takes a phone away whose token is dead that a push went to; whether it did. One that has another token since then stays, and is woken
-- by it once more behind the pause.
CREATE OR REPLACE FUNCTION wallet_push_drop(phone text, type text, claim uuid, stored_before timestamptz, pause interval)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    -- First, since a change of a pass locks the pass before the push.
    PERFORM wallet_lose(phone, type, stored_before);
    DELETE FROM wallet_push_job AS j WHERE j.device = phone AND j.pass_type = type
        AND NOT EXISTS (SELECT FROM wallet_device AS d WHERE d.device = phone AND d.pass_type = type);
    IF FOUND THEN
        RETURN true;
    END IF;
    UPDATE wallet_push_job AS j SET claim_id = NULL, is_again = false, due_at = statement_timestamp() + pause,
        not_before = statement_timestamp() + pause
    WHERE j.device = phone AND j.pass_type = type AND j.claim_id = claim;
    RETURN false;
END $$;
