-- Partitions by time: made ahead, dropped after retention.
-- Locks: creates functions only. Time: milliseconds. What the functions lock is said at each.

-- The least flow id of a point in time: 48 bits of milliseconds, then zeros.
CREATE FUNCTION flow_floor(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes one partition that holds the flow ids of [from, until) unless it is there.
-- A table is made first and attached then: attaching locks the parent SHARE UPDATE EXCLUSIVE only, reads and writes go on.
CREATE FUNCTION flow_make_partition(parent text, span text, since timestamptz, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    child text := parent || '_' || to_char(since AT TIME ZONE 'UTC', span);
BEGIN
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- A flow has a new version after each transition, in the same page as long as there is room: with 45 % filled, a page holds
    -- one more version of every row before anything has to be pruned. The trail never changes, sealed data hardly.
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
         WITH (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2)',
        child, parent, CASE parent WHEN 'flow' THEN 45 WHEN 'flow_private' THEN 80 ELSE 100 END);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, flow_floor(since), flow_floor(until));
    RETURN true;
END $$;

-- Drops one partition. That locks its parent ACCESS EXCLUSIVE for a moment; the lock is waited for at most a second, so that
-- nobody queues behind the wait for long. False when it was not granted: the next run tries again.
CREATE FUNCTION flow_drop_partition(child name) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
BEGIN
    EXECUTE format('DROP TABLE %I', child);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;

-- Makes the partitions that are due and drops those past retention; says how many of each.
-- Flows and trail: calendar months of UTC, made at least twenty days ahead, dropped `keep_flows` after their end.
-- Sealed data: days of UTC, from the one before to two after today, dropped `keep_private` after their end.
-- A program whose clock is wrong by a day still finds its partitions.
-- Runs as its owner, because the service role may not change the schema; so it looks in schema public and nowhere else.
CREATE FUNCTION flow_maintain_partitions(
    keep_flows interval, keep_private interval, OUT made integer, OUT dropped integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    start timestamptz;
    child name;
BEGIN
    made := 0;
    dropped := 0;
    PERFORM pg_advisory_xact_lock(hashtext('flow_maintain_partitions'));
    FOR start IN SELECT generate_series(
        date_trunc('month', statement_timestamp() - interval '1 day'), statement_timestamp() + interval '20 days', '1 month')
    LOOP
        made := made
            + flow_make_partition('flow', 'YYYYMM', start, start + interval '1 month')::integer
            + flow_make_partition('flow_event', 'YYYYMM', start, start + interval '1 month')::integer;
    END LOOP;
    FOR start IN SELECT generate_series(
        date_trunc('day', statement_timestamp() - interval '1 day'), statement_timestamp() + interval '2 days', '1 day')
    LOOP
        made := made + flow_make_partition('flow_private', 'YYYYMMDD', start, start + interval '1 day')::integer;
    END LOOP;
    FOR child IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE CASE i.inhparent
            WHEN 'flow'::regclass THEN to_timestamp(right(c.relname, 6), 'YYYYMM') + interval '1 month' + keep_flows
            WHEN 'flow_event'::regclass THEN to_timestamp(right(c.relname, 6), 'YYYYMM') + interval '1 month' + keep_flows
            WHEN 'flow_private'::regclass THEN to_timestamp(right(c.relname, 8), 'YYYYMMDD') + interval '1 day' + keep_private
            END < statement_timestamp()
    LOOP
        dropped := dropped + flow_drop_partition(child)::integer;
    END LOOP;
END $$;
