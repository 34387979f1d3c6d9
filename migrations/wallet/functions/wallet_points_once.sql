-- version: 1

-- The points of a member, changed once for each word of a client: the claim, the change and the answer that is kept for repeats are one
-- commit. As wallet_points, and claimed for a word that was there before. What was refused leaves the word free.
CREATE OR REPLACE FUNCTION wallet_points_once(
    scope uuid, word text, print bytea, account uuid, number bigint, is_sum boolean,
    OUT outcome text, OUT points bigint, OUT devices bigint
)
LANGUAGE plpgsql AS $$
BEGIN
    -- Takes over the claim of somebody who is gone, as every other claim.
    INSERT INTO api_idempotency AS c (key_id, idem, fingerprint, created_at, lease_until)
    VALUES (scope, word, print, statement_timestamp(), statement_timestamp() + interval '60 seconds')
    ON CONFLICT (key_id, idem) DO UPDATE SET created_at = excluded.created_at, lease_until = excluded.lease_until
        WHERE c.answer IS NULL AND c.lease_until <= statement_timestamp() AND c.fingerprint = excluded.fingerprint;
    IF NOT FOUND THEN
        outcome := 'claimed';
        RETURN;
    END IF;
    SELECT w.outcome, w.points, w.devices INTO outcome, points, devices FROM wallet_points(account, number, is_sum) AS w;
    IF outcome IN ('changed', 'unchanged') THEN
        UPDATE api_idempotency AS c SET status = 200, answer = convert_to(
            wallet_points_json(account, points, outcome = 'changed', devices)::text, 'UTF8')
        WHERE c.key_id = scope AND c.idem = word;
    ELSE
        DELETE FROM api_idempotency AS c WHERE c.key_id = scope AND c.idem = word;
    END IF;
END $$;
