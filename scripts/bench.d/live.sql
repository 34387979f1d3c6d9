-- Sessions of which each is :age_from to :age_until old, evenly spread; each fifth is a merchant's, with an order that waits. `one` is a
-- webview session of true shape, made by the program's own statements.

CREATE SCHEMA live;
CREATE TABLE live.one AS SELECT * FROM webview_session LIMIT 1;
TRUNCATE webview_session, webview_session_event, webview_session_private;

CREATE TABLE live.session AS
SELECT i, t.at, (lpad(to_hex(t.ms), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid AS webview_session_id
FROM generate_series(1, :count) AS i, LATERAL (
    SELECT (extract(epoch FROM now() - interval ':age_from' + i * (interval ':age_from' - interval ':age_until') / :count) * 1000)::bigint AS ms) AS m,
    LATERAL (SELECT m.ms, to_timestamp(m.ms / 1000.0) AS at) AS t;

SELECT count(partition_make(p, m, m + interval '1 month')) FROM unnest(ARRAY['webview_session', 'webview_session_event']) AS p,
    date_trunc('month', now() - interval '1 day') AS m;

INSERT INTO webview_session (webview_session_id, created_at, launch_until, idle_until, absolute_until, subtotal, tax_included, client, state, events, attempt,
    placements, proof_misses, outcome, launch_hash, tab_hash, app_hash, cart)
SELECT s.webview_session_id, s.at, s.at + interval '15 s', s.at + interval '2 h', s.at + interval '2 h', o.subtotal, o.tax_included, 'iosApp', 'opened',
    2, 0, 0, 0, 'opened', sha256(int8send(s.i)), sha256(int8send(-s.i)), sha256(int8send(s.i + (1::bigint << 41))), o.cart
FROM live.session AS s, live.one AS o;

INSERT INTO webview_session_event (webview_session_id, at, ordinal, to_state, op, outcome, peer, request)
SELECT s.webview_session_id, s.at, e.ordinal, e.state, e.op, e.state::text, '203.0.113.0/24 6f1c2a9e', '0123456789abcdef'
FROM live.session AS s, (VALUES (1, 'issued'::webview_session_state, 'issue'), (2, 'opened', 'open')) AS e (ordinal, state, op);

INSERT INTO merchant_order (webview_session_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account,
    environment, lines)
SELECT s.webview_session_id, s.at, s.at, o.subtotal, o.tax_included - o.subtotal, 540, o.tax_included + 540, 'created', 'iosApp', 'JPY',
    'order-' || s.i, 'A1SALLYPORTDEMO', 'sandbox', order_lines(o.cart)
FROM live.session AS s, live.one AS o WHERE s.i % 5 = 0;

DROP SCHEMA live CASCADE;
ANALYZE;
