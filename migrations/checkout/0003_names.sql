-- The words of docs/decisions/0086, in a database that has the old ones; a new one has none of them.
-- Stop all processes before: none works with both. Locks: every table of this folder with its partitions, to the end, so 10 s without
-- other users; two for each partition, of 64 x max_connections by default. Time: 0.1 s for each hundred partitions; no row is read.

DO $$
DECLARE
    -- Each table of sessions and its new name.
    old_tables text[] := ARRAY['flow', 'flow_event', 'flow_private', 'flow_purchasing', 'flow_sweep'];
    new_tables text[] := ARRAY[
        'webview_session', 'webview_session_event', 'webview_session_private', 'webview_session_purchase', 'webview_session_sweep'];
    item record;
BEGIN
    IF to_regclass('flow') IS NULL THEN
        RETURN;
    END IF;
    ALTER TYPE flow_client RENAME TO webview_session_client;
    ALTER TYPE flow_state RENAME TO webview_session_state;

    -- Indexes before their tables, whose names theirs begin with; a constraint is renamed with its index. Partitions are named
    -- after their parent, unless somebody has named them otherwise.
    FOR item IN
        WITH tables AS (
            SELECT t.was, t.becomes, to_regclass(t.was)::oid AS relation, t.was AS name
            FROM unnest(old_tables, new_tables) AS t (was, becomes)
        ), relations AS (
            SELECT * FROM tables
            UNION ALL
            SELECT t.was, t.becomes, c.oid, c.relname FROM tables AS t
            JOIN pg_inherits AS i ON i.inhparent = t.relation
            JOIN pg_class AS c ON c.oid = i.inhrelid AND starts_with(c.relname, t.was || '_')
        )
        SELECT c.relname AS name, r.becomes || substr(c.relname, length(r.was) + 1) AS new_name, 'INDEX' AS kind
        FROM relations AS r
        JOIN pg_index AS x ON x.indrelid = r.relation
        JOIN pg_class AS c ON c.oid = x.indexrelid AND starts_with(c.relname, r.name || '_')
        UNION ALL
        SELECT r.name, r.becomes || substr(r.name, length(r.was) + 1), 'TABLE' FROM relations AS r
        UNION ALL
        -- The indexes of orders name the column.
        SELECT c.relname, replace(c.relname, '_flow_id', '_webview_session_id'), 'INDEX'
        FROM pg_inherits AS i
        JOIN pg_index AS x ON x.indrelid = i.inhrelid
        JOIN pg_class AS c ON c.oid = x.indexrelid AND c.relname LIKE '%\_flow\_id%'
        WHERE i.inhparent = 'merchant_order'::regclass
        ORDER BY kind, name
    LOOP
        EXECUTE format('ALTER %s %I RENAME TO %I', item.kind, item.name, item.new_name);
    END LOOP;
    ALTER INDEX payment_object_flow RENAME TO payment_object_webview_session;
    ALTER TRIGGER flow_purchasing_stuck ON webview_session_purchase RENAME TO webview_session_purchase_stuck;

    FOR item IN
        SELECT t.name, c.was, c.becomes
        FROM (VALUES
            ('flow_id', 'webview_session_id'), ('verdict', 'outcome'), ('a_hash', 'launch_hash'), ('b_hash', 'tab_hash'),
            ('b_prev_hash', 'tab_superseded_hash'), ('b_seen_at', 'tab_seen_at'), ('c_hash', 'return_hash'),
            ('met_at', 'both_presented_at')) AS c (was, becomes)
        JOIN pg_attribute AS a ON a.attname = c.was AND NOT a.attisdropped
        JOIN unnest(new_tables || ARRAY[
            'merchant_order', 'payment_object', 'payment_operation', 'payment_poll', 'notification']) AS t (name)
            ON a.attrelid = to_regclass(t.name)
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME COLUMN %I TO %I', item.name, item.was, item.becomes);
    END LOOP;

    -- Functions whose names, or the names of whose parameters, have changed: functions/ has them, and is applied behind all migrations.
    FOR item IN
        SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN (
            'flow_drop_expired', 'flow_drop_partition', 'flow_maintain_partitions', 'flow_make_partition', 'merchant_maintain_partitions',
            'arrive_verdict', 'buy_verdict', 'open_verdict', 'place_verdict', 'receipt_verdict', 'review_verdict', 'tab_verdict',
            'order_standing', 'order_announce', 'order_settle', 'payment_apply', 'payment_observe', 'poll_wake')
    LOOP
        EXECUTE format('DROP FUNCTION %s', item.name);
    END LOOP;
    DELETE FROM feature_function AS f WHERE f.feature = 'checkout' AND f.name IN (
        'flow_drop_expired.sql', 'flow_drop_partition.sql', 'flow_maintain_partitions.sql', 'flow_make_partition.sql',
        'merchant_maintain_partitions.sql', 'arrive_verdict.sql', 'buy_verdict.sql', 'open_verdict.sql', 'place_verdict.sql',
        'receipt_verdict.sql', 'review_verdict.sql', 'tab_verdict.sql', 'order_standing.sql');
END $$;
