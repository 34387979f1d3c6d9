INSERT INTO wallet_member (account_id, created_at, link_at, points, link_secret, link_number, name)
SELECT a.webview_session_id, a.at, a.at, 1, 1, 1, 'Member ' || a.webview_session_id FROM aged AS a;
INSERT INTO wallet_template (template, pass_type, digest, uses) VALUES ('member', 'pass.com.example.a', '\x00', '{points}');
INSERT INTO wallet_pass (account_id, created_at, modified_at, tag, version, devices, token_key, is_final, pass_type, serial, template, state, content, content_digest)
SELECT a.webview_session_id, a.at, a.at, 1, 1, 1, 1, false, 'pass.com.example.a', upper(a.webview_session_id::text), 'member', 'installed', '{"points": 1}', '\x00'
FROM aged AS a;
INSERT INTO wallet_device (token_at, seen_at, device, pass_type, push_token)
SELECT a.at, a.at, a.webview_session_id::text, 'pass.com.example.a', 'aa' FROM aged AS a;
INSERT INTO wallet_registration (created_at, device, pass_type, serial)
SELECT a.at, a.webview_session_id::text, 'pass.com.example.a', upper(a.webview_session_id::text) FROM aged AS a;
INSERT INTO wallet_history (history_id, pass_type, serial, kind)
SELECT a.webview_session_id, 'pass.com.example.a', upper(a.webview_session_id::text), 'created' FROM aged AS a;
INSERT INTO wallet_device_log (log_id, kind, message) SELECT a.webview_session_id, 'other', 'x' FROM aged AS a WHERE a.months = 0;
INSERT INTO wallet_device_log (log_id, kind, message)
SELECT (left(id_floor(now() - d * interval '1 day')::text, 14) || '7000-8000-000000000000')::uuid, 'other', 'x'
FROM generate_series(1, 99) AS d;
INSERT INTO wallet_push_job (due_at, not_before, since, wanted, attempts, is_again, is_sent, device, pass_type)
SELECT a.at, a.at, a.at, 1, 0, false, false, a.webview_session_id::text, 'pass.com.example.a' FROM aged AS a;
INSERT INTO wallet_certificate (expires_at, told_days, pass_type, fingerprint)
SELECT a.at, 60, 'pass.com.example.a', sha256(a.webview_session_id::text::bytea) FROM aged AS a;
-- allowance wallet_member_read partitions=200: the history of a pass is as old as the pass
-- allowance wallet_push_prune rows=600 tables=wallet_template: a batch of old pushes; the templates of the shop
-- allowance wallet_walk tables=wallet_template: the templates of the shop
-- allowance wallet_member_page rows=800: a page of a hundred members, each with passes
-- allowance wallet_tag_raise tables=wallet_tag: a table of one row
-- allowance wallet_list tables=wallet_tag: a table of one row
-- allowance wallet_erase tables=wallet_tag: a table of one row
-- allowance wallet_end tables=wallet_tag: a table of one row
-- allowance wallet_console_points tables=wallet_tag: a table of one row
-- allowance wallet_points tables=wallet_tag: a table of one row
-- allowance wallet_issue tables=wallet_tag: a table of one row
-- values wallet_template_set: 'member', 'pass.com.example.a', '\x00', '["points"]'
-- values wallet_fetched: '[{"type":"pass.com.example.a","serial":"A","version":1,"kind":"link"},{"type":"pass.com.example.a","serial":"A","version":1,"kind":"known"}]'
-- values wallet_log: '[{"kind":"other","message":"x"},{"kind":"get","type":"pass.com.example.a","serial":"A","message":"x"}]', '1000', '100'
-- values wallet_issue: 'customer', 'Hanako', '0', 'pass.com.example.a', 'A', 'member', '{}', '1'
-- values wallet_push_settle: '[{"n":1,"device":"A","type":"pass.com.example.a","claim":"00000000-0000-0000-0000-000000000000","pause":1,"ended":true,"counts":false}]'
-- allowance wallet_log tables=wallet_device_log_day: a table of one row
