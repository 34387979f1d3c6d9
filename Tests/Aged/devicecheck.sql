INSERT INTO device_account (account_id, refusals, queued, queued_for, queued_at)
SELECT a.webview_session_id, 0, 'paid', 'purchase', a.at FROM aged AS a;
INSERT INTO device_claim (claim_id, account_id, flow_id, begun_at, granted_at, grants, purpose, status, wanted)
SELECT a.webview_session_id, a.webview_session_id, a.webview_session_id, a.at, a.at, 1, 'free-trial', 'granted', 'trial-used' FROM aged AS a;
INSERT INTO device_token (flow_id, seen_at, token_hash, is_finished)
SELECT a.webview_session_id, a.at, sha256(uuid_send(a.webview_session_id)), true FROM aged AS a;
INSERT INTO device_history (history_id, account_id, flow_id, kind, purpose, outcome, detail)
SELECT a.webview_session_id, a.webview_session_id, a.webview_session_id, 'claim', 'free-trial', 'allow', '{}' FROM aged AS a;
INSERT INTO app_attest_challenge (account_id, expires_at, challenge_hash)
SELECT a.webview_session_id, a.at, sha256(uuid_send(a.webview_session_id)) FROM aged AS a;
INSERT INTO app_attest_key (account_id, attested_at, used_at, counter, key_id, public_key, receipt, app, environment)
SELECT a.webview_session_id, a.at, a.at, 1, sha256(uuid_send(a.webview_session_id)), '\x04', '\x30', 'A1B2C3D4E5.com.example.shop', 'production'
FROM aged AS a;
-- allowance app_attest_receipt_take rows=2000: twenty keys about which Apple is asked, each found once and changed once
-- allowance app_attest_prune rows=5000: batches of challenges that are over and of keys that nobody uses
-- allowance device_troubles rows=5000: the calls of the last hour
-- allowance device_waiting rows=20000: no more than 10,000 marks of a state are counted
-- allowance device_prune rows=5000: batches of old tokens and of claims that nobody has finished
-- values device_end: '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '{"claim":"grant","purpose":"free-trial","once":true,"rows":[]}'
-- values device_note: '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '[]'
-- allowance device_history partitions=200: the history of an account is as old as the account
-- allowance device_export partitions=200: all of an account, which may be as old as the shop
-- allowance device_erase partitions=200: the same
