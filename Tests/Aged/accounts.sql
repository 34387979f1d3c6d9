INSERT INTO account (account_id, created_at, external_id)
SELECT a.webview_session_id, a.at, 'customer-' || a.months || '-' || a.n FROM aged AS a;
UPDATE account SET erased_at = now(), tried_at = now(), cleared_at = now(), external_id = NULL WHERE external_id LIKE '%-7';
-- allowance account_page rows=120: a page has a hundred rows, and one to see whether there are more
