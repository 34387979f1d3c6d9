-- version: 1

-- As app_store_change, once for each word of a client: the claim, the entry and the answer that is kept for repeats are one commit. claimed
-- for a word that was there before. What was refused leaves the word free.
CREATE OR REPLACE FUNCTION app_store_change_once(
    scope uuid, word text, print bytea, account uuid, realm text, what text, change bigint, note text, OUT outcome text, OUT balance bigint
)
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT claim_begin(scope, word, print) THEN
        outcome := 'claimed';
        RETURN;
    END IF;
    SELECT c.outcome, c.balance INTO outcome, balance FROM app_store_change(account, realm, what, change, note) AS c;
    IF outcome = 'changed' THEN
        PERFORM claim_answer(scope, word, 200, app_store_balance_json(account, realm, balance));
    ELSE
        PERFORM claim_release(scope, word);
    END IF;
END $$;
