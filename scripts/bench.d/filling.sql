-- What stands for the past 90 days: three of five webview sessions were paid for, two were left and expired. `one` is a webview session of true shape,
-- made by the program's own statements. Every now() is replaced by one point in time before this is run.

CREATE SCHEMA past;
CREATE TABLE past.one AS SELECT * FROM webview_session LIMIT 1;
CREATE TABLE past.one_private AS SELECT * FROM webview_session_private LIMIT 1;

-- Milliseconds since 1970: the beginning, and the end, when every webview session is past its deadline.
CREATE FUNCTION past.first() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT (extract(epoch FROM date_trunc('day', now()) - interval '90 days') * 1000)::bigint
$$;
CREATE FUNCTION past.last() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT (extract(epoch FROM now() - interval '3 hours') * 1000)::bigint
$$;

-- When webview session number i of count began: evenly spread.
CREATE FUNCTION past.ms(i bigint, count bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT past.first() + i * (past.last() - past.first()) / count
$$;

-- The first webview session that began at a point in time or later, from 0 to count.
CREATE FUNCTION past.number(at timestamptz, count bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT least(count, greatest(0, ceil(((extract(epoch FROM at) * 1000)::bigint - past.first())::numeric * count
        / (past.last() - past.first()))))::bigint
$$;

-- A UUID of version 7 from milliseconds and a digest.
CREATE FUNCTION past.id(ms bigint, digest text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(digest, 1, 3) || '8' || substr(digest, 4, 15))::uuid
$$;

-- What all tables know of some webview sessions, in order.
CREATE FUNCTION past.range(first bigint, last bigint, count bigint)
RETURNS TABLE (i bigint, webview_session_id uuid, at timestamptz, paid boolean) LANGUAGE sql STABLE AS $$
    SELECT i, past.id(past.ms(i, count), md5(i::text)), to_timestamp(past.ms(i, count) / 1000.0), i % 5 < 3
    FROM generate_series(first, last) AS i OFFSET 0
$$;

CREATE FUNCTION past.webview_sessions(first bigint, last bigint, count bigint) RETURNS SETOF webview_session LANGUAGE sql STABLE AS $$
    SELECT t.webview_session_id, CASE WHEN t.paid THEN t.webview_session_id END, t.at, t.at + interval '15 s', t.at + interval '30 min',
        t.at + interval '2 h', t.at + interval '2 s', NULL::timestamptz, NULL::timestamptz,
        CASE WHEN t.paid THEN t.at + interval '20 min' END, o.subtotal, o.tax_included, o.postage, o.total, o.client,
        (CASE WHEN t.paid THEN 'authorized' ELSE 'expired' END)::webview_session_state, CASE WHEN t.paid THEN 6 ELSE 3 END,
        CASE WHEN t.paid THEN 1 ELSE 0 END, CASE WHEN t.paid THEN 1 ELSE 0 END, 0,
        CASE WHEN t.paid THEN 'authorized' ELSE 'expired' END,
        sha256(int8send(t.i)), sha256(int8send(-t.i)), NULL::bytea, CASE WHEN t.paid THEN sha256(int8send(t.i + (1::bigint << 40))) END,
        sha256(int8send(t.i + (1::bigint << 41))), NULL::bytea, o.cart, t.webview_session_id::text,
        CASE WHEN t.paid THEN 'S03-' || lpad(t.i::text, 14, '0') END,
        CASE WHEN t.paid THEN 'S03-' || lpad(t.i::text, 14, '0') || '-C000001' END,
        CASE WHEN t.paid THEN convert_to('{"status":"200","message":"The order placed.","orderId":"' || lpad(t.i::text, 12, '0') || '"}', 'UTF8') END
    FROM past.one AS o, past.range(first, last, count) AS t
$$;

-- Their trails.
CREATE FUNCTION past.events(first bigint, last bigint, count bigint) RETURNS SETOF webview_session_event LANGUAGE sql STABLE AS $$
    SELECT t.webview_session_id, t.at + s.after, s.ordinal, s.state, s.op, s.outcome, NULL::text, '203.0.113.0/24 6f1c2a9e', '0123456789abcdef',
        NULL::text
    FROM past.range(first, last, count) AS t, (VALUES
        (1, 'issued'::webview_session_state, 'issued', 'issue', interval '0 s', true, true), (2, 'opened', 'opened', 'open', '2 s', true, true),
        (3, 'reviewed', 'reviewed', 'review', '40 s', true, false), (4, 'placed', 'placed', 'place', '60 s', true, false),
        (5, 'purchasing', 'begin', 'purchase', '75 s', true, false), (6, 'authorized', 'authorized', 'settle', '76 s', true, false),
        (3, 'expired', 'expired', 'sweep', '2 h', false, true)) AS s(ordinal, state, outcome, op, after, if_paid, if_not)
    WHERE CASE WHEN t.paid THEN s.if_paid ELSE s.if_not END
$$;

-- The months to fill, with the webview sessions of each.
CREATE FUNCTION past.months(count bigint) RETURNS TABLE (month text, since text, until text, first bigint, last bigint)
LANGUAGE sql STABLE AS $$
    SELECT to_char(m, 'YYYYMM'), m::text, (m + interval '1 month')::text,
        past.number(m, count), past.number(m + interval '1 month', count) - 1
    FROM generate_series(date_trunc('month', to_timestamp(past.first() / 1000)), now(), interval '1 month') AS m
$$;
