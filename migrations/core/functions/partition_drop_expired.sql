-- version: 1

-- Drops at most one partition past retention of some tables; says whether it did, how many are left, and why the first that could not be
-- dropped was not. To be called again while it drops something. A table stands behind those whose rows say something of its own: of one
-- time its partitions go last, so that nothing is left without what it is about.
-- Dropped are partitions of declared tables, with names of ours only, and none that is younger than its table's least. Rights as
-- partition_make_due.
CREATE OR REPLACE FUNCTION partition_drop_expired(
    tables text[], keeps interval[], OUT dropped integer, OUT overdue integer, OUT problem text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    children name[];
    of_parents regclass[];
BEGIN
    dropped := 0;
    overdue := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('partition_drop_expired')) THEN
        RETURN;
    END IF;
    WITH asked AS MATERIALIZED (
        SELECT t.parent::regclass AS parent, partition_keep(k.keep, t.least_days) AS keep, k.place
        FROM unnest(tables, keeps) WITH ORDINALITY AS k (parent, keep, place) JOIN partitioned_table AS t ON t.parent = k.parent
    ), late AS MATERIALIZED (
        SELECT s.*, a.place FROM partition_bounds(ARRAY(SELECT a.parent FROM asked AS a)) AS s JOIN asked AS a ON a.parent = s.parent
        WHERE s.child ~ ('^' || s.parent::text || '_[0-9]{6,8}$') AND s.until + a.keep < statement_timestamp()
    ), next AS (
        SELECT l.* FROM late AS l WHERE NOT EXISTS (SELECT FROM late AS e WHERE e.place < l.place AND e.until <= l.until)
    )
    SELECT (SELECT count(*) FROM late), array_agg(n.child ORDER BY n.until, n.child), array_agg(n.parent ORDER BY n.until, n.child)
    INTO overdue, children, of_parents FROM next AS n;
    IF overdue > 0 THEN
        SELECT d.dropped, d.problem INTO dropped, problem FROM partition_drop_one(of_parents, children) AS d;
        overdue := overdue - dropped;
    END IF;
END $$;

REVOKE EXECUTE ON FUNCTION partition_drop_expired FROM PUBLIC;
GRANT EXECUTE ON FUNCTION partition_drop_expired TO sallyport_service;
