-- Orders of a year, evenly spread, as far as they are kept when their webview sessions are gone: most are captured, each tenth is refunded in part, and
-- the permission of each is still looked after. `one` is a webview session of true shape, made by the program's own statements.

CREATE SCHEMA grown;
CREATE TABLE grown.one AS SELECT * FROM webview_session LIMIT 1;
TRUNCATE webview_session, webview_session_event, webview_session_private;

CREATE UNLOGGED TABLE grown.sale AS
SELECT i, to_timestamp(m.ms / 1000.0) AS at,
    (lpad(to_hex(m.ms), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid AS webview_session_id,
    'S03-' || lpad((i / 10000000)::text, 7, '0') || '-' || lpad((i % 10000000)::text, 7, '0') AS permission
FROM generate_series(0, :count - 1) AS i, LATERAL (
    SELECT (extract(epoch FROM now() - interval '365 days' + i * (interval '365 days' - interval '3 hours') / :count) * 1000)::bigint AS ms) AS m;

SELECT count(partition_make(p, m, m + interval '1 month'))
FROM unnest(ARRAY['merchant_order', 'payment_operation', 'event']) AS p,
    generate_series(date_trunc('month', now() - interval '366 days'), now(), interval '1 month') AS m;

INSERT INTO merchant_order (webview_session_id, key_id, created_at, updated_at, subtotal, tax, postage, total, captured, refunded, events, state, client,
    currency, reference, account, environment, checkout_session, charge_permission, lines)
SELECT s.webview_session_id, '01020304-0506-0708-090a-0b0c0d0e0f10', s.at, s.at, o.subtotal, o.tax_included - o.subtotal, 540, o.tax_included + 540,
    o.tax_included + 540, CASE WHEN s.i % 10 = 0 THEN 100 ELSE 0 END, 3,
    (CASE WHEN s.i % 10 = 0 THEN 'part_refunded' ELSE 'captured' END)::order_state, 'site', 'JPY', 'order-' || s.i, 'A1SALLYPORTDEMO',
    'sandbox', gen_random_uuid()::text, s.permission, order_lines(o.cart)
FROM grown.sale AS s, grown.one AS o;

-- What the triggers would do, at once.
ALTER TABLE payment_object DISABLE TRIGGER USER;
INSERT INTO payment_object (webview_session_id, created_at, observed_at, object_updated_at, amount, captured, refunded, kind, final, object_id, parent,
    currency, state)
SELECT s.webview_session_id, s.at, s.at, s.at, o.tax_included + 540, CASE k.kind WHEN 'charge' THEN o.tax_included + 540 ELSE 0 END,
    CASE WHEN k.kind = 'charge' AND s.i % 10 = 0 THEN 100 ELSE 0 END, k.kind::object_kind, k.final, s.permission || k.suffix,
    s.permission || k.above, 'JPY', k.state
FROM grown.sale AS s, grown.one AS o, (VALUES
    ('permission', false, '', NULL, 'Chargeable'), ('charge', true, '-C000001', '', 'Captured'),
    ('refund', true, '-R000001', '-C000001', 'Refunded')) AS k (kind, final, suffix, above, state)
WHERE k.kind <> 'refund' OR s.i % 10 = 0;
ALTER TABLE payment_object ENABLE TRIGGER USER;
INSERT INTO payment_poll (object_id, kind, webview_session_id, since, next_at, polls, failures, notified)
SELECT s.permission, 'permission', s.webview_session_id, s.at, now() + (s.i % 720 + 1) * interval '1 hour', 1, 0, false FROM grown.sale AS s;

INSERT INTO payment_operation (operation_id, webview_session_id, attempt_id, key_id, created_at, lease_until, ended_at, amount, attempt, kind, state,
    target, currency, idem, idem_key, object_id, body)
SELECT (left(s.webview_session_id::text, 19) || '9' || right(s.webview_session_id::text, 16))::uuid, s.webview_session_id, gen_random_uuid(),
    '01020304-0506-0708-090a-0b0c0d0e0f10', s.at, s.at, s.at, 100, 1, 'capture', 'done', s.permission || '-C000001', 'JPY',
    'capture-' || s.i, md5(s.i::text), s.permission || '-C000001', convert_to('{"captureAmount":{"amount":"100","currencyCode":"JPY"}}', 'UTF8')
FROM grown.sale AS s;

INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
SELECT s.webview_session_id, (left(id_floor(s.at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, e.number, s.at, 'session', e.type, d.data
FROM grown.sale AS s, LATERAL (SELECT order_event_data(o, NULL) AS data FROM merchant_order AS o WHERE o.webview_session_id = s.webview_session_id OFFSET 0) AS d,
    (VALUES (1, 'session.paid'), (2, 'charge.captured'), (3, 'refund.refunded')) AS e (number, type);

-- A claim for each opening and each capture, with an answer of usual size.
INSERT INTO api_idempotency (key_id, idem, created_at, lease_until, fingerprint, webview_session_id, status, answer)
SELECT '01020304-0506-0708-090a-0b0c0d0e0f10', c.word || s.i, s.at, s.at, sha256(int8send(s.i)), s.webview_session_id, 201,
    convert_to(repeat('x', c.size), 'UTF8')
FROM grown.sale AS s, (VALUES ('open-', 1400), ('capture-', 600)) AS c (word, size);

INSERT INTO notification (message_id, received_at, webview_session_id, kind, object_id, outcome)
SELECT md5(s.i::text), s.at, s.webview_session_id, 'CHARGE', s.permission || '-C000001', 'taken' FROM grown.sale AS s
WHERE s.at > now() - interval '30 days';

INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
VALUES ('01020304-0506-0708-090a-0b0c0d0e0f10', now(), sha256(convert_to(':key', 'UTF8')), 'bench', '{sessions:read,sessions:write}');

DROP SCHEMA grown CASCADE;
VACUUM (ANALYZE);
