/// A database that has been in use for three years, as SQL to run behind all migrations.
///
/// What the planner does depends on how many partitions the catalogs hold and on what `ANALYZE` made of them: statements that
/// work on a fresh database fail or read everything on such a one. Sealed data have a hundred days only: with thousands of them
/// the months are too small a part of the catalog to matter, and it is the months that have to.
enum AgedDatabase {
    /// Partitions, rows in each of them, and statistics of everything.
    static let sql = partitions + webviewSessions + ledger + others + "ANALYZE;"

    /// Only what the first migrations have, so that any version of the functions can be looked at.
    private static let partitions = """
        SET TimeZone = 'UTC';
        DO $$
        DECLARE
            start timestamptz;
            parent text;
        BEGIN
            FOR start IN SELECT generate_series(
                date_trunc('month', now()) - interval '36 months', date_trunc('month', now()), '1 month')
            LOOP
                FOREACH parent IN ARRAY ARRAY['webview_session', 'webview_session_event'] LOOP
                    PERFORM partition_make(parent, start, start + interval '1 month');
                END LOOP;
                FOREACH parent IN ARRAY ARRAY['merchant_order', 'payment_operation', 'event'] LOOP
                    PERFORM partition_make(parent, start, start + interval '1 month');
                END LOOP;
            END LOOP;
            FOR start IN SELECT generate_series(
                date_trunc('day', now()) - interval '100 days', date_trunc('day', now()), '1 day')
            LOOP
                PERFORM partition_make('webview_session_private', start, start + interval '1 day');
            END LOOP;
        END $$;

        """

    /// Ten webview sessions of each month that is over, and 500 of the last two hours: `aged_session(months, number)` is the id of
    /// one.
    ///
    /// By their number webview sessions of today are: 0 issued, 1 opened, 2 reviewed, 3 placed, 4 being bought, 5 declined, 6
    /// and on paid.
    private static let webviewSessions = """
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
        INSERT INTO webview_session_private (webview_session_id, sealed) SELECT a.webview_session_id, '\\x00' FROM aged AS a WHERE a.months = 0;
        INSERT INTO webview_session_private (webview_session_id, sealed)
        SELECT (left(id_floor(now() - d * interval '1 day')::text, 14) || '7000-8000-000000000000')::uuid, '\\x00'
        FROM generate_series(1, 99) AS d;
        INSERT INTO webview_session_purchase (webview_session_id, since, next_at, stuck_at)
        SELECT a.webview_session_id, a.at, now(), CASE a.n WHEN 4 THEN now() END FROM aged AS a WHERE a.months = 0 AND a.n % 10 = 4;
        INSERT INTO webview_session_sweep (ended_before) SELECT id_floor(now() - interval '3 hours');

        """

    /// An order with two events, an operation and two objects for each webview session.
    private static let ledger = """
        INSERT INTO merchant_order (
            webview_session_id, key_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account,
            environment, checkout_session, charge_permission, lines, events)
        SELECT a.webview_session_id, '01900000-0000-7000-8000-000000000001', a.at, a.at, 1000, 100, 540, 1640,
            CASE WHEN a.months = 0 AND a.n % 10 < 6 THEN 'created' ELSE 'paid' END::order_state, 'iosApp', 'JPY',
            'order-' || a.n, 'A1', 'sandbox', 'checkout-' || a.webview_session_id, a.permission,
            '[{"id":"hd8","name":"x","unitPrice":"1000","quantity":"1","sum":"1000"}]', 2
        FROM aged AS a;
        INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
        SELECT a.webview_session_id, (left(id_floor(a.at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
            e, a.at, 'session', 'session.paid', '{}' FROM aged AS a, generate_series(1, 2) AS e;
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

        """

    private static let others = """
        INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
        SELECT ('01900000-0000-7000-8000-00000000000' || k)::uuid, now(), sha256('k'), 'key', '{sessions:read}'
        FROM generate_series(1, 5) AS k;
        INSERT INTO api_idempotency (key_id, idem, created_at, lease_until, fingerprint, webview_session_id, status, answer)
        SELECT '01900000-0000-7000-8000-000000000001', 'mark-' || a.months || '-' || a.n, a.at, a.at, sha256('f'), a.webview_session_id, 200, '{}'
        FROM aged AS a;
        INSERT INTO notification (message_id, received_at, kind, object_id, webview_session_id, outcome)
        SELECT 'message-' || a.months || '-' || a.n, a.at, 'CHARGE', a.permission || '-C000002', a.webview_session_id,
            CASE WHEN a.n % 10 = 0 THEN 'unknown' ELSE 'taken' END FROM aged AS a;
        INSERT INTO webhook_endpoint (endpoint_id, created_at, url, types, key_id, secret, removed_at)
        SELECT ('01900000-0000-7000-8000-00000000001' || e)::uuid, now(), 'https://shop.example/hook', '{}', 'whk', '\\x00',
            CASE e WHEN 3 THEN now() END FROM generate_series(1, 3) AS e;
        INSERT INTO event_queue (receiver_id, subject_id, attempt_id, head_id, head, tail, next_at, since, failures, dead_at)
        SELECT ('01900000-0000-7000-8000-00000000001' || e)::uuid, a.webview_session_id, CASE WHEN a.n % 3 = 0 THEN a.webview_session_id END,
            (SELECT v.event_id FROM event AS v WHERE v.subject_id = a.webview_session_id AND v.sequence = 1), 1, 2,
            now() + (a.n % 7 - 3) * interval '1 minute', a.at, 0, CASE WHEN a.months > 0 THEN a.at END
        FROM aged AS a, generate_series(1, 3) AS e WHERE a.months < 2 OR a.n = 1;
        INSERT INTO reconciliation_run (day, started_at, ended_at, compared, differences, since_at, until_at, attempt_id, repairs)
        SELECT current_date - d, now(), CASE WHEN d > 0 THEN now() END, 10, 0, now(), now(), gen_random_uuid(), false
        FROM generate_series(0, 400) AS d;

        """
}
