INSERT INTO account (account_id, created_at, external_id)
SELECT a.webview_session_id, a.at, 'customer-' || a.months || '-' || a.n FROM aged AS a;
UPDATE account SET erased_at = now(), tried_at = now(), cleared_at = now(), external_id = NULL WHERE external_id LIKE '%-7';
-- allowance account_page rows=120: a page has a hundred rows, and one to see whether there are more
-- Three phones of an account in ten; one of them has signed in today.
INSERT INTO account_token (token_id, account_id, created_at, expires_at, token_hash, scopes)
SELECT md5('account_token' || n || a.account_id)::uuid, a.account_id, a.created_at,
    CASE n WHEN 1 THEN now() + interval '1 hour' ELSE a.created_at + interval '1 hour' END, sha256(uuid_send(a.account_id)), '{shoes}'
FROM account AS a, generate_series(1, 3) AS n WHERE a.external_id LIKE '%0';
-- allowance account_token_prune rows=2100: a thousand rows are removed at a time
