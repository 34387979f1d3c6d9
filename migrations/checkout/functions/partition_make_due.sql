-- version: 1

-- The tables with partitions, and how far ahead they are made. An insert of sealed data needs one every day: ten days are time to
-- notice that none are made any more.
CREATE OR REPLACE FUNCTION partition_tables() RETURNS TABLE (parent text, span text, unit text, step interval, ahead interval)
LANGUAGE sql IMMUTABLE AS $$
    VALUES ('webview_session', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('webview_session_event', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('webview_session_private', 'YYYYMMDD', 'day', interval '1 day', interval '10 days'),
        ('merchant_order', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('payment_operation', 'YYYYMM', 'month', interval '1 month', interval '20 days'),
        ('merchant_event', 'YYYYMM', 'month', interval '1 month', interval '20 days')
$$;

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
            IF NOT (CASE WHEN due.parent LIKE 'webview_session%' THEN partition_make(due.parent, due.span, due.since, due.until)
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

REVOKE EXECUTE ON FUNCTION partition_make_due FROM PUBLIC;
GRANT EXECUTE ON FUNCTION partition_make_due TO sallyport_service;

-- The first partitions; from now on the program asks for them. What it calls comes before it: core's functions, and those of this folder
-- whose names are less.
SELECT partition_make_due();
