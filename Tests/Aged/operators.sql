INSERT INTO operator_session (session_hash, session_id, name, key_hash, network, opened_at, seen_at)
SELECT sha256(a.webview_session_id::text::bytea), a.webview_session_id, 'person-' || a.n % 9, sha256('k'), '203.0.113.0/24', a.at, a.at
FROM aged AS a WHERE a.months = 0;
INSERT INTO operator_event (at, ended_at, operator, command, target, reason)
SELECT a.at, a.at, 'person-' || a.n % 9, 'console sign-in', a.webview_session_id::text, NULL FROM aged AS a;
-- allowance operator_session_list rows=120: the sessions of one person
-- allowance operator_session_end_others rows=120: the sessions of one person
-- allowance operator_session_prune rows=600 tables=operator_session: a table with the sessions of one day's staff
-- allowance operator_audit rows=120: a page of the record
-- allowance operator_audit_of rows=500: a page of one person's record among those of nine
-- allowance operator_list rows=120: a page of the record
-- allowance operator_prune rows=1200: a batch of a thousand
-- values operator_audit: '400', '51'
-- values operator_audit_of: 'person-1', '400', '51'
-- values operator_session_list: 'person-1', '1800', '43200'
-- values operator_session_end_others: 'person-1', '$NEW'
