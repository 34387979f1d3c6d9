-- version: 1

-- The same for orders, their operations and events; and where nothing was dropped, deletes a batch of the ledger's rows whose orders
-- are gone. To be called again while it drops or deletes something.
CREATE OR REPLACE FUNCTION merchant_drop_expired(
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
        WHERE q.webview_session_id < id_floor(greatest('epoch', least(
            date_trunc('month', statement_timestamp() - kept),
            (SELECT min(s.since) FROM partition_spans(ARRAY['merchant_order'::regclass]) AS s))))
        ORDER BY q.webview_session_id LIMIT 1000);
    GET DIAGNOSTICS deleted = ROW_COUNT;
END $$;

REVOKE EXECUTE ON FUNCTION merchant_drop_expired FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merchant_drop_expired TO sallyport_service;
