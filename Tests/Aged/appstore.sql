INSERT INTO app_store_customer (account_id, created_at, app_account_token)
SELECT a.webview_session_id, a.at, a.webview_session_id FROM aged AS a;
INSERT INTO app_store_ledger (ledger_id, account_id, units, entries, environment)
SELECT a.webview_session_id, a.webview_session_id, 1, 1, 'Production' FROM aged AS a;
INSERT INTO app_store_purchase (
    purchase_id, ledger_id, app_account_token, signed_at, purchased_at, granted_at, price, granted, taken, quantity, environment, bundle_id,
    transaction_id, original_id, product_id, type, ownership, currency, storefront)
SELECT a.webview_session_id, a.webview_session_id, a.webview_session_id, a.at, a.at, a.at, 160000, 1, 0, 1, 'Production', 'com.example.shop',
    a.webview_session_id::text, a.webview_session_id::text, 'ticket', 'Consumable', 'PURCHASED', 'JPY', 'JPN'
FROM aged AS a;
INSERT INTO app_store_entry (ledger_id, sequence, at, units, balance, purchase_id, kind)
SELECT a.webview_session_id, 1, a.at, 1, 1, a.webview_session_id, 'purchase' FROM aged AS a;
INSERT INTO app_store_notification (received_at, signed_at, notification_id, environment, type, transaction_id, outcome, payload)
SELECT a.at, a.at, a.webview_session_id::text, 'Production', 'ONE_TIME_CHARGE', a.webview_session_id::text, 'granted', 'x' FROM aged AS a;
INSERT INTO app_store_forward (created_at, due_at, attempts, notification_id, body)
SELECT a.at, 'infinity', 1, a.webview_session_id::text, 'x' FROM aged AS a;
INSERT INTO app_store_consumption (requested_at, due_at, ends_at, purchase_id, attempts, notification_id, state)
SELECT a.at, a.at, a.at, a.webview_session_id, 1, a.webview_session_id::text, 'sent' FROM aged AS a;
INSERT INTO app_store_reconciliation (due_at, bought_at, active_at, ledger_id, attempts)
SELECT a.at + interval '1 day', a.at, a.at, a.webview_session_id, 0 FROM aged AS a;
INSERT INTO app_store_history (tried_at, environment) VALUES (now(), 'Production');
-- allowance app_store_history_begin tables=app_store_history: a table of a row for each environment
-- allowance app_store_history_end tables=app_store_history: a table of a row for each environment
-- allowance app_store_erase rows=100: the purchases of an account, each with what Apple has sent about it
-- allowance app_store_reconcile_take rows=800: a batch of customers, of each the newest purchase
-- allowance app_store_prune rows=5000: batches of old notifications and questions
-- values app_store_apply: NULL, '{"environment":"Production","bundle":"com.example.shop","transaction":"1","original":"1","product":"ticket","type":"Consumable","ownership":"PURCHASED","quantity":1,"signed":1750000000000000}', '1'
-- values app_store_replay: 'n', '{"environment":"Production","bundle":"com.example.shop","transaction":"1","original":"1","product":"ticket","type":"Consumable","ownership":"PURCHASED","quantity":1,"signed":1750000000000000}', '1'
-- allowance app_store_erase rows=80: each notification that goes takes along what was to be sent on
-- allowance app_store_forward_prune rows=5000: batches of old notifications
-- values app_store_notify_forward: '{"id":"n","environment":"Production","type":"TEST","signed":1750000000000000}', 'x', 'false', '{"environment":"Production","bundle":"com.example.shop","transaction":"1","original":"1","product":"ticket","type":"Consumable","ownership":"PURCHASED","quantity":1,"signed":1750000000000000}', '1', 'x'
-- values app_store_notify: '{"id":"n","environment":"Production","type":"TEST","signed":1750000000000000}', 'x', 'false', '{"environment":"Production","bundle":"com.example.shop","transaction":"1","original":"1","product":"ticket","type":"Consumable","ownership":"PURCHASED","quantity":1,"signed":1750000000000000}', '1'
INSERT INTO app_store_gift (given_at, account_id, units, event_id, purpose)
SELECT a.at, a.webview_session_id, 1, a.webview_session_id, 'free-trial' FROM aged AS a;
-- values app_store_give: '$SESSION', 'Production', 'ticket-gift', '1', '$NEW'
