-- version: 1

-- Makes a token of an account and gives its row; no row where there is no such account, or it is erased. An account has `most` tokens:
-- of those before, the ones go that have ended, and then the oldest. No erasure of it begins before the transaction ends.
CREATE OR REPLACE FUNCTION account_token_issue(
    token uuid, account uuid, digest bytea, opens text[], lifetime interval, most integer) RETURNS SETOF account_token
LANGUAGE plpgsql AS $$
BEGIN
    -- One at a time, so that the number is right.
    PERFORM FROM account AS a WHERE a.account_id = account AND a.erased_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    DELETE FROM account_token AS t WHERE t.token_id IN (
        SELECT o.token_id FROM account_token AS o WHERE o.account_id = account
        ORDER BY o.expires_at > statement_timestamp() DESC, o.created_at DESC, o.token_id DESC OFFSET most - 1);
    RETURN QUERY INSERT INTO account_token AS t (token_id, account_id, created_at, expires_at, token_hash, scopes)
        VALUES (token, account, statement_timestamp(), statement_timestamp() + lifetime, digest, opens) RETURNING t.*;
END $$;
