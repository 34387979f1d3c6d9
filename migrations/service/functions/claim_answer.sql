-- version: 1

-- Keeps the answer of a claim that is ours for repeats.
CREATE OR REPLACE FUNCTION claim_answer(scope uuid, word text, answered integer, content json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE api_idempotency AS c SET status = answered, answer = convert_to(content::text, 'UTF8')
    WHERE c.key_id = scope AND c.idem = word;
END $$;
