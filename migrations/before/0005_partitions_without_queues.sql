-- Dropping a partition never makes anybody queue for long.
-- Locks: replaces functions only. Time: milliseconds. What the functions lock is said at each.

-- Drops one partition. That locks its parent ACCESS EXCLUSIVE for a moment. Whoever comes while the lock is waited for queues
-- behind it, so it is waited for shorter than anybody notices: it is granted between two groups of writes, and not while
-- somebody reads for minutes. False when it was not granted: a later run tries again.
CREATE OR REPLACE FUNCTION flow_drop_partition(child name) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '50ms' AS $$
BEGIN
    EXECUTE format('DROP TABLE %I', child);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;

-- Makes the partitions that are due and drops at most one of those past retention; says how many of each, and how many past
-- retention are left. Locks last to the end of the transaction, so more than one drop in it would let one lock be held while
-- the next is waited for: call it again while it drops something. Of each table the oldest is tried, the sealed data first.
-- Flows and trail: calendar months of UTC, made at least twenty days ahead, dropped `keep_flows` after their end.
-- Sealed data: days of UTC, from the one before to two after today, dropped `keep_private` after their end.
-- A program whose clock is wrong by a day still finds its partitions.
-- Runs as its owner, because the service role may not change the schema; so it looks in schema public and nowhere else.
-- Where another process is at it, nothing is done.
DROP FUNCTION flow_maintain_partitions(interval, interval);
CREATE FUNCTION flow_maintain_partitions(
    keep_flows interval, keep_private interval, OUT made integer, OUT dropped integer, OUT overdue integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    start timestamptz;
    children name[];
    parents regclass[];
    tried regclass[] := '{}';
BEGIN
    made := 0;
    dropped := 0;
    overdue := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('flow_maintain_partitions')) THEN
        RETURN;
    END IF;
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
    SELECT array_agg(c.relname ORDER BY i.inhparent::regclass::text DESC, c.relname),
        array_agg(i.inhparent::regclass ORDER BY i.inhparent::regclass::text DESC, c.relname)
    INTO children, parents
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE CASE i.inhparent
        WHEN 'flow'::regclass THEN to_timestamp(right(c.relname, 6), 'YYYYMM') + interval '1 month' + keep_flows
        WHEN 'flow_event'::regclass THEN to_timestamp(right(c.relname, 6), 'YYYYMM') + interval '1 month' + keep_flows
        WHEN 'flow_private'::regclass THEN to_timestamp(right(c.relname, 8), 'YYYYMMDD') + interval '1 day' + keep_private
        END < statement_timestamp();
    overdue := coalesce(array_length(children, 1), 0);
    FOR number IN 1 .. overdue LOOP
        CONTINUE WHEN parents[number] = ANY (tried);
        tried := tried || parents[number];
        IF flow_drop_partition(children[number]) THEN
            dropped := 1;
            overdue := overdue - 1;
            RETURN;
        END IF;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION flow_maintain_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION flow_maintain_partitions TO sallyport_service;
