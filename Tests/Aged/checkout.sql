-- A webview session of each moment. By their number those of today are: 0 issued, 1 opened, 2 reviewed, 3 placed, 4 being bought,
-- 5 declined, 6 and on paid.
INSERT INTO webview_session (
    webview_session_id, created_at, launch_until, idle_until, absolute_until, subtotal, tax_included, postage, total, client, state,
    events, attempt, placements, proof_misses, outcome, launch_hash, tab_hash, return_hash, app_hash, cart, order_ref, attempt_id,
    lease_until, receipt_until)
SELECT a.webview_session_id, a.at, a.at + interval '5 minutes', a.at + interval '2 hours', a.at + interval '2 hours', 1000, 1100, 540,
    1640, 'iosApp', CASE WHEN a.months > 0 THEN 'authorized' ELSE (ARRAY['issued', 'opened', 'reviewed', 'placed',
        'purchasing', 'declined', 'authorized', 'authorized', 'authorized', 'authorized'])[a.n % 10 + 1] END::webview_session_state,
    3, 1, 1, 0, 'placed', sha256('a'), sha256('b'), sha256('c'), sha256('p'),
    '[{"id":"hd8","name":"x","price":"1000","quantity":"1"}]', 'checkout-' || a.webview_session_id, a.webview_session_id,
    a.at + interval '45 seconds', a.at + interval '15 minutes'
FROM aged AS a;
INSERT INTO webview_session_event (webview_session_id, at, ordinal, to_state, op, outcome, peer, request)
SELECT a.webview_session_id, a.at + e * interval '1 second', e, 'issued', 'issue', CASE WHEN a.n % 50 = 7 THEN 'reused' ELSE 'issued' END,
    '192.0.2.0/24', 'request-' || e FROM aged AS a, generate_series(1, 3) AS e;
INSERT INTO webview_session_private (webview_session_id, sealed) SELECT a.webview_session_id, '\x00' FROM aged AS a WHERE a.months = 0;
INSERT INTO webview_session_private (webview_session_id, sealed)
SELECT (left(id_floor(now() - d * interval '1 day')::text, 14) || '7000-8000-000000000000')::uuid, '\x00'
FROM generate_series(1, 99) AS d;
INSERT INTO webview_session_purchase (webview_session_id, since, next_at, stuck_at)
SELECT a.webview_session_id, a.at, now(), CASE a.n WHEN 4 THEN now() END FROM aged AS a WHERE a.months = 0 AND a.n % 10 = 4;
INSERT INTO webview_session_sweep (ended_before) SELECT id_floor(now() - interval '3 hours');

-- An order with an operation and two objects for each.
INSERT INTO merchant_order (
    webview_session_id, key_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account,
    environment, checkout_session, charge_permission, lines, events, account_id)
SELECT a.webview_session_id, '01900000-0000-7000-8000-000000000001', a.at, a.at, 1000, 100, 540, 1640,
    CASE WHEN a.months = 0 AND a.n % 10 < 6 THEN 'created' ELSE 'paid' END::order_state, 'iosApp', 'JPY',
    'order-' || a.n, 'A1', 'sandbox', 'checkout-' || a.webview_session_id, a.permission,
    '[{"id":"hd8","name":"x","unitPrice":"1000","quantity":"1","sum":"1000"}]', 2,
    CASE a.n % 10 WHEN 0 THEN a.webview_session_id END
FROM aged AS a;
INSERT INTO payment_object (
    webview_session_id, created_at, observed_at, amount, captured, kind, final, object_id, parent, currency, state)
SELECT a.webview_session_id, a.at, a.at, 1640, CASE k.kind WHEN 'charge' THEN 1640 ELSE 0 END, k.kind::object_kind, k.final,
    a.permission || k.suffix, CASE WHEN k.suffix <> '' THEN a.permission END, 'JPY', k.state
FROM aged AS a, (VALUES ('permission', false, '', 'Chargeable'), ('charge', true, '-C000001', 'Captured')) AS k (
    kind, final, suffix, state)
WHERE a.months > 0 OR a.n % 10 > 5;
UPDATE payment_poll AS p SET next_at = now() FROM aged AS a
WHERE a.permission = p.object_id AND (a.months > 30 OR a.months = 0 AND a.n < 200);
INSERT INTO payment_operation (
    operation_id, webview_session_id, attempt_id, key_id, created_at, lease_until, ended_at, amount, attempt, kind, state, target,
    currency, idem, idem_key, body)
SELECT a.webview_session_id, a.webview_session_id, a.webview_session_id, '01900000-0000-7000-8000-000000000001', a.at, a.at, a.at, 1640, 1, 'capture',
    CASE WHEN a.months > 0 OR a.n > 39 THEN 'done' WHEN a.n = 36 THEN 'stuck' ELSE 'open' END,
    a.permission || '-C000001', 'JPY', 'mark-' || a.months || '-' || a.n, 'key-' || a.webview_session_id, '{}'
FROM aged AS a WHERE a.months > 0 OR a.n % 10 > 5;
INSERT INTO payment_operation_open (operation_id, target)
SELECT o.operation_id, o.target FROM payment_operation AS o WHERE o.state <> 'done';
INSERT INTO notification (message_id, received_at, kind, object_id, webview_session_id, outcome)
SELECT 'message-' || a.months || '-' || a.n, a.at, 'CHARGE', a.permission || '-C000002', a.webview_session_id,
    CASE WHEN a.n % 10 = 0 THEN 'unknown' ELSE 'taken' END FROM aged AS a;
