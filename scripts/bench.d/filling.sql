-- What stands for the past 90 days: three of five flows were paid for, two were left and expired. `one` is a flow of true shape,
-- made by the program's own statements. Variables: count, days, and for a part first, last.

CREATE SCHEMA past;
CREATE TABLE past.one AS SELECT * FROM flow LIMIT 1;
CREATE TABLE past.one_private AS SELECT * FROM flow_private LIMIT 1;
CREATE TABLE past.event AS SELECT * FROM flow_event LIMIT 1;

-- When flow number i began: evenly spread, the last one past its deadline.
CREATE FUNCTION past.at(i bigint, count bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('day', now()) - interval '90 days'
        + i * ((now() - interval '3 hours') - (date_trunc('day', now()) - interval '90 days')) / count
$$;

-- Its id: a UUID of version 7, the same for every table.
CREATE FUNCTION past.id(i bigint, at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
        || '8' || substr(md5(i::text), 4, 15))::uuid
$$;

-- Some flows, in order.
CREATE FUNCTION past.flows(first bigint, last bigint, count bigint) RETURNS SETOF flow LANGUAGE sql STABLE AS $$
    SELECT r.* FROM past.one AS o, generate_series(first, last) AS i, LATERAL (SELECT past.at(i, count) AS at, i % 5 < 3 AS paid) AS t,
        LATERAL (SELECT
            past.id(i, t.at), CASE WHEN t.paid THEN past.id(i, t.at) END, t.at, t.at + interval '15 s', t.at + interval '30 min',
            t.at + interval '2 h', t.at + interval '2 s', NULL::timestamptz, NULL::timestamptz,
            CASE WHEN t.paid THEN t.at + interval '20 min' END, o.subtotal, o.tax_included, o.postage, o.total, o.client,
            (CASE WHEN t.paid THEN 'authorized' ELSE 'expired' END)::flow_state, CASE WHEN t.paid THEN 6 ELSE 3 END,
            CASE WHEN t.paid THEN 1 ELSE 0 END, CASE WHEN t.paid THEN 1 ELSE 0 END, 0,
            CASE WHEN t.paid THEN 'authorized' ELSE 'expired' END,
            sha256(int8send(i)), sha256(int8send(-i)), NULL::bytea, CASE WHEN t.paid THEN sha256(int8send(i + (1::bigint << 40))) END,
            sha256(int8send(i + (1::bigint << 41))), NULL::bytea, o.cart, past.id(-i, t.at)::text,
            CASE WHEN t.paid THEN 'S03-' || lpad(i::text, 14, '0') END, CASE WHEN t.paid THEN 'S03-' || lpad(i::text, 14, '0') || '-C000001' END,
            CASE WHEN t.paid THEN convert_to('{"status":"200","message":"The order placed.","orderId":"' || lpad(i::text, 12, '0') || '"}', 'UTF8') END
        ) AS r
$$;

-- Their trails.
CREATE FUNCTION past.events(first bigint, last bigint, count bigint) RETURNS SETOF flow_event LANGUAGE sql STABLE AS $$
    SELECT past.id(i, t.at), t.at + s.ordinal * interval '3 s', s.ordinal, s.state::flow_state, s.op, s.state, NULL::text, e.peer, e.request
    FROM past.event AS e, generate_series(first, last) AS i, LATERAL (SELECT past.at(i, count) AS at, i % 5 < 3 AS paid) AS t,
        LATERAL (VALUES (1, 'issued', 'issue', true, true), (2, 'opened', 'open', true, true), (3, 'reviewed', 'review', true, false),
            (4, 'placed', 'place', true, false), (5, 'purchasing', 'purchase', true, false),
            (6, 'authorized', 'settle', true, false), (3, 'expired', 'sweep', false, true)) AS s(ordinal, state, op, if_paid, if_not)
    WHERE CASE WHEN t.paid THEN s.if_paid ELSE s.if_not END
$$;

-- The first flow that began at a point in time or later, from 0 to count.
CREATE FUNCTION past.number(at timestamptz, count bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT least(count, greatest(0, ceil(extract(epoch FROM at - past.at(0, 1)) * count
        / extract(epoch FROM past.at(1, 1) - past.at(0, 1)))))::bigint
$$;

-- The months to fill, with the flows of each.
CREATE FUNCTION past.months(count bigint) RETURNS TABLE (month text, since text, until text, first bigint, last bigint)
LANGUAGE sql STABLE AS $$
    SELECT to_char(m, 'YYYYMM'), m::text, (m + interval '1 month')::text,
        past.number(m, count), past.number(m + interval '1 month', count) - 1
    FROM generate_series(date_trunc('month', now() - interval '90 days'), date_trunc('month', now()), interval '1 month') AS m
$$;
