-- version: 1

-- The points of a member, changed once for each word of a client: the claim, the change and the answer that is kept for repeats are one
-- commit. As wallet_points, and claimed for a word that was there before. What was refused leaves the word free.
CREATE OR REPLACE FUNCTION wallet_points_once(
    scope uuid, word text, print bytea, account uuid, number bigint, is_sum boolean,
    OUT outcome text, OUT points bigint, OUT devices bigint
)
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT claim_begin(scope, word, print) THEN
        outcome := 'claimed';
        RETURN;
    END IF;
    SELECT w.outcome, w.points, w.devices INTO outcome, points, devices FROM wallet_points(account, number, is_sum) AS w;
    IF outcome IN ('changed', 'unchanged') THEN
        PERFORM claim_answer(scope, word, 200, wallet_points_json(account, points, outcome = 'changed', devices));
    ELSE
        PERFORM claim_release(scope, word);
    END IF;
END $$;
