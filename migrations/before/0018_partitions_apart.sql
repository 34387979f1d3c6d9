-- Partitions are made by one call and dropped by another, so that nothing that hinders a drop ever hinders making.
-- Locks: new and replaced functions; the partitioned tables, SHARE UPDATE EXCLUSIVE, while partitions are attached. Time: milliseconds.
-- The program of before works on: the functions that it calls do both, and an error of the drop does not undo what was made.

-- The time that a flow id begins with.
CREATE FUNCTION flow_moment(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- The partitions of some tables and the times that they hold, by their bounds; without end where a partition takes whatever no other
-- takes.
-- Nothing here can fail for another relation of the database: the children come first (MATERIALIZED is not reordered), and what is
-- no bound of ours is NULL before it is converted.
CREATE FUNCTION partition_spans(parents regclass[])
RETURNS TABLE (parent regclass, child name, since timestamptz, until timestamptz)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH children AS MATERIALIZED (
        SELECT i.inhparent, i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = ANY (parents) AND NOT i.inhdetachpending
    ), bounds AS MATERIALIZED (
        SELECT k.inhparent::regclass AS parent, c.relname, pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM children AS k JOIN pg_class AS c ON c.oid = k.inhrelid
    )
    SELECT b.parent, b.relname,
        coalesce(flow_moment(substring(b.bound FROM 'FROM \(''([0-9a-f-]{36})''\)')::uuid), '-infinity'),
        coalesce(flow_moment(substring(b.bound FROM 'TO \(''([0-9a-f-]{36})''\)')::uuid), 'infinity')
    FROM bounds AS b
$$;

-- The tables with partitions, and how far ahead they are made. An insert of sealed data needs one every day: ten days are time to
-- notice that none are made any more.
CREATE FUNCTION partition_tables() RETURNS TABLE (parent text, span text, unit text, step interval, ahead interval)
LANGUAGE sql IMMUTABLE AS $$
    VALUES ('flow', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('flow_event', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('flow_private', 'YYYYMMDD', 'day', interval '1 day', interval '10 days'),
        ('merchant_order', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('payment_operation', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('merchant_event', 'YYYYMM', 'month', interval '1 month', interval '20 days')
$$;

-- Makes the partitions that are due, of all tables; says how many, how many it could not make, and why it could not make the first.
-- Each is tried by itself. From a day before today, so a program whose clock is wrong by a day still finds its partitions.
-- Runs as its owner, because the service role may not change the schema; so it looks in schema public and nowhere else.
-- Where another process is at it, nothing is done.
CREATE FUNCTION partition_make_due(OUT made integer, OUT failed integer, OUT problem text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    due record;
BEGIN
    made := 0;
    failed := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('partition_make_due')) THEN
        RETURN;
    END IF;
    FOR due IN
        WITH there AS MATERIALIZED (
            SELECT s.* FROM partition_spans(ARRAY(SELECT t.parent::regclass FROM partition_tables() AS t)) AS s
            WHERE isfinite(s.until)
        )
        SELECT t.parent, t.span, m.since, m.since + t.step AS until
        FROM partition_tables() AS t, generate_series(
            date_trunc(t.unit, statement_timestamp() - interval '1 day'), statement_timestamp() + t.ahead, t.step) AS m (since)
        WHERE NOT EXISTS (
            SELECT FROM there AS s
            WHERE s.parent = t.parent::regclass AND s.since <= m.since AND s.until >= m.since + t.step)
        ORDER BY m.since
    LOOP
        BEGIN
            IF NOT (CASE WHEN due.parent LIKE 'flow%' THEN flow_make_partition(due.parent, due.span, due.since, due.until)
                ELSE merchant_make_partition(due.parent, due.since, due.until) END)
            THEN
                RAISE EXCEPTION 'a table of that name is there and is no partition for that time';
            END IF;
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN
            failed := failed + 1;
            problem := coalesce(problem, format('%s_%s: %s', due.parent, to_char(due.since, due.span), SQLERRM));
        END;
    END LOOP;
END $$;

-- Drops the first of some partitions that can be dropped; says whether one was, and why the first that could not be was not.
-- Locks last to the end of the transaction, so more than one drop in it would let one lock be held while the next is waited for. Of
-- each table the lock is waited for once.
CREATE FUNCTION partition_drop_one(parents regclass[], children name[], OUT dropped integer, OUT problem text)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    locked regclass[] := '{}';
BEGIN
    dropped := 0;
    FOR number IN 1 .. cardinality(children) LOOP
        CONTINUE WHEN parents[number] = ANY (locked);
        BEGIN
            IF flow_drop_partition(children[number]) THEN
                dropped := 1;
                RETURN;
            END IF;
            locked := locked || parents[number];
        EXCEPTION WHEN OTHERS THEN
            problem := coalesce(problem, format('%s: %s', children[number], SQLERRM));
        END;
    END LOOP;
END $$;

-- How long rows are kept, never less than some days, whatever is asked for: what is in use and what an audit needs cannot be
-- dropped by whoever may call the functions below. In seconds, because months and days of an interval can be at odds.
CREATE FUNCTION partition_keep(asked interval, least_days integer) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(extract(epoch FROM asked), least_days * 86400) * interval '1 second'
$$;

-- Drops at most one partition past retention; says whether it did, how many are left, and why the first that could not be dropped
-- was not. To be called again while it drops something. Sealed data go first.
-- Dropped are partitions with names of ours only. Rights as partition_make_due.
CREATE FUNCTION flow_drop_expired(
    keep_flows interval, keep_private interval, OUT dropped integer, OUT overdue integer, OUT problem text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    parents regclass[] := ARRAY['flow_private', 'flow_event', 'flow'];
    keeps interval[] := ARRAY[partition_keep(keep_private, 1), partition_keep(keep_flows, 90), partition_keep(keep_flows, 30)];
    children name[];
    of_parents regclass[];
BEGIN
    dropped := 0;
    overdue := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('flow_drop_expired')) THEN
        RETURN;
    END IF;
    SELECT array_agg(s.child ORDER BY k.place, s.until), array_agg(s.parent ORDER BY k.place, s.until)
    INTO children, of_parents
    FROM partition_spans(parents) AS s
    JOIN unnest(parents, keeps) WITH ORDINALITY AS k (parent, keep, place) ON k.parent = s.parent
    WHERE s.child ~ ('^' || s.parent::text || '_[0-9]{6,8}$') AND s.until + k.keep < statement_timestamp();
    overdue := coalesce(cardinality(children), 0);
    IF overdue > 0 THEN
        SELECT d.dropped, d.problem INTO dropped, problem FROM partition_drop_one(of_parents, children) AS d;
        overdue := overdue - dropped;
    END IF;
END $$;

-- The same for orders, their operations and events; and where nothing was dropped, deletes a batch of the ledger's rows whose orders
-- are gone. To be called again while it drops or deletes something.
CREATE FUNCTION merchant_drop_expired(
    keep interval, OUT dropped integer, OUT overdue integer, OUT deleted integer, OUT problem text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    kept interval := partition_keep(keep, 180);
    children name[];
    of_parents regclass[];
BEGIN
    dropped := 0;
    overdue := 0;
    deleted := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('merchant_drop_expired')) THEN
        RETURN;
    END IF;
    WITH late AS MATERIALIZED (
        SELECT s.* FROM partition_spans(
            ARRAY['payment_operation', 'merchant_event', 'merchant_order']::regclass[]) AS s
        WHERE s.child ~ ('^' || s.parent::text || '_[0-9]{6}$') AND s.until + kept < statement_timestamp()
    ), next AS (
        -- Orders go last, so that nothing is left without its order but what is deleted below.
        SELECT l.* FROM late AS l WHERE l.parent <> 'merchant_order'::regclass OR NOT EXISTS (
            SELECT FROM late AS e WHERE e.parent <> l.parent AND e.until <= l.until)
    )
    SELECT (SELECT count(*) FROM late), array_agg(n.child ORDER BY n.until, n.child),
        array_agg(n.parent ORDER BY n.until, n.child)
    INTO overdue, children, of_parents FROM next AS n;
    IF overdue > 0 THEN
        SELECT d.dropped, d.problem INTO dropped, problem FROM partition_drop_one(of_parents, children) AS d;
        overdue := overdue - dropped;
    END IF;
    IF dropped > 0 THEN
        RETURN;
    END IF;
    DELETE FROM payment_object AS p WHERE p.object_id IN (
        SELECT q.object_id FROM payment_object AS q
        WHERE q.flow_id < flow_floor(greatest('epoch', least(
            date_trunc('month', statement_timestamp() - kept),
            (SELECT min(s.since) FROM partition_spans(ARRAY['merchant_order'::regclass]) AS s))))
        ORDER BY q.flow_id LIMIT 1000);
    GET DIAGNOSTICS deleted = ROW_COUNT;
END $$;

-- For how many whole days from now on inserts find a partition, in the table where that ends first, and whether one would fail now.
-- Reads the catalog of the partitions only.
CREATE FUNCTION partition_days_left(OUT relation text, OUT days integer, OUT is_missing boolean)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH tables AS MATERIALIZED (
        SELECT t.parent::regclass AS parent FROM partition_tables() AS t
    ), ahead AS (
        SELECT s.*, coalesce(max(s.until) OVER (
                PARTITION BY s.parent ORDER BY s.since, s.until ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
            statement_timestamp()) AS reached
        FROM partition_spans(ARRAY(SELECT t.parent FROM tables AS t)) AS s WHERE s.until > statement_timestamp()
    ), covered AS (
        -- Up to the first gap, or to the end.
        SELECT t.parent, coalesce(min(a.reached) FILTER (WHERE a.since > a.reached), max(a.until), statement_timestamp()) AS until
        FROM tables AS t LEFT JOIN ahead AS a ON a.parent = t.parent GROUP BY t.parent
    )
    SELECT c.parent::text,
        floor(extract(epoch FROM least(c.until, statement_timestamp() + interval '3650 days') - statement_timestamp()) / 86400)::integer,
        c.until <= statement_timestamp()
    FROM covered AS c ORDER BY c.until, c.parent::text LIMIT 1
$$;

-- As in 0005 and 0009, for a program that knows these two only.
CREATE OR REPLACE FUNCTION flow_maintain_partitions(
    keep_flows interval, keep_private interval, OUT made integer, OUT dropped integer, OUT overdue integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    SELECT m.made INTO made FROM partition_make_due() AS m;
    BEGIN
        SELECT d.dropped, d.overdue INTO dropped, overdue FROM flow_drop_expired(keep_flows, keep_private) AS d;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'partitions past retention stay: %', SQLERRM;
        dropped := 0;
        overdue := 0;
    END;
END $$;

CREATE OR REPLACE FUNCTION merchant_maintain_partitions(
    keep interval, OUT made integer, OUT dropped integer, OUT overdue integer, OUT deleted integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    SELECT m.made INTO made FROM partition_make_due() AS m;
    BEGIN
        SELECT d.dropped, d.overdue, d.deleted INTO dropped, overdue, deleted FROM merchant_drop_expired(keep) AS d;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'partitions past retention stay: %', SQLERRM;
        dropped := 0;
        overdue := 0;
        deleted := 0;
    END;
END $$;

REVOKE EXECUTE ON FUNCTION partition_make_due, partition_drop_one, flow_drop_expired, merchant_drop_expired FROM PUBLIC;
GRANT EXECUTE ON FUNCTION partition_make_due, flow_drop_expired, merchant_drop_expired TO sallyport_service;

SELECT partition_make_due();
