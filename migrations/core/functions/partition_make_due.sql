-- version: 1

-- Makes the partitions that are due, of all tables; says how many, how many it could not make, and why it could not make the first.
-- Each is tried by itself. From a day before today, so a program whose clock is wrong by a day still finds its partitions.
-- Runs as its owner, because the service role may not change the schema; so it looks in schema public and nowhere else.
-- Where another process is at it, nothing is done.
CREATE OR REPLACE FUNCTION partition_make_due(OUT made integer, OUT failed integer, OUT problem text)
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
            SELECT s.* FROM partition_bounds(ARRAY(SELECT t.parent::regclass FROM partitioned_table AS t)) AS s
            WHERE isfinite(s.until)
        )
        SELECT t.parent, m.since, m.since + t.step AS until
        FROM (SELECT p.*, ('1 ' || p.unit)::interval AS step FROM partitioned_table AS p) AS t, generate_series(
            date_trunc(t.unit, statement_timestamp() - interval '1 day'), statement_timestamp() + t.ahead, t.step) AS m (since)
        WHERE NOT EXISTS (
            SELECT FROM there AS s
            WHERE s.parent = t.parent::regclass AND s.since <= m.since AND s.until >= m.since + t.step)
        ORDER BY m.since
    LOOP
        BEGIN
            IF NOT partition_make(due.parent, due.since, due.until) THEN
                RAISE EXCEPTION 'a table of that name is there and is no partition for that time';
            END IF;
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN
            failed := failed + 1;
            problem := coalesce(problem, format('%s of %s: %s', due.parent, to_char(due.since, 'YYYY-MM-DD'), SQLERRM));
        END;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION partition_make_due FROM PUBLIC;
GRANT EXECUTE ON FUNCTION partition_make_due TO sallyport_service;

-- The first partitions; from now on the program asks for them. What it calls comes before it: files whose names are less.
SELECT partition_make_due();
