-- Ten moments of each month that is over, and 500 of the last two hours: aged has one row for each, aged_session(months, n) is the id of
-- what happened then.
CREATE FUNCTION aged_time(months integer, n integer) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE months WHEN 0 THEN now() - interval '10 seconds' - n * interval '14 seconds'
        ELSE date_trunc('month', now()) - months * interval '1 month' + n * interval '2 days' END
$$;
CREATE FUNCTION aged_session(months integer, n integer) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (left(id_floor(aged_time(months, n))::text, 14) || '7' || lpad(to_hex(months), 3, '0')
        || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid
$$;
CREATE TABLE aged AS
SELECT m AS months, n, aged_session(m, n) AS webview_session_id, aged_time(m, n) AS at,
    'S01-' || lpad(m::text, 7, '0') || '-' || lpad(n::text, 7, '0') AS permission
FROM generate_series(0, 36) AS m, generate_series(0, CASE m WHEN 0 THEN 499 ELSE 9 END) AS n;
ALTER TABLE aged ADD PRIMARY KEY (months, n);
GRANT SELECT ON aged TO PUBLIC;

-- Two events of each.
INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
SELECT a.webview_session_id, (left(id_floor(a.at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
    e, a.at, 'session', 'session.paid', '{}' FROM aged AS a, generate_series(1, 2) AS e;
