-- version: 1

-- Drops at most one partition past retention; says whether it did, how many are left, and why the first that could not be dropped
-- was not. To be called again while it drops something. Sealed data go first.
-- Dropped are partitions with names of ours only. Rights as partition_make_due.
CREATE OR REPLACE FUNCTION webview_session_drop_expired(
    keep_sessions interval, keep_private interval, OUT dropped integer, OUT overdue integer, OUT problem text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    parents regclass[] := ARRAY['webview_session_private', 'webview_session_event', 'webview_session'];
    keeps interval[] := ARRAY[partition_keep(keep_private, 1), partition_keep(keep_sessions, 90), partition_keep(keep_sessions, 30)];
    children name[];
    of_parents regclass[];
BEGIN
    dropped := 0;
    overdue := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('webview_session_drop_expired')) THEN
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

REVOKE EXECUTE ON FUNCTION webview_session_drop_expired FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webview_session_drop_expired TO sallyport_service;
