-- version: 1

-- Deletes a batch of the ledger's rows whose orders are gone; says how many. To be called again while it deletes something.
CREATE OR REPLACE FUNCTION ledger_prune(keep interval, OUT deleted integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    DELETE FROM payment_object AS p WHERE p.object_id IN (
        SELECT q.object_id FROM payment_object AS q
        WHERE q.webview_session_id < id_floor(greatest('epoch', least(
            date_trunc('month', statement_timestamp() - partition_keep(keep, 180)),
            (SELECT min(s.since) FROM partition_bounds(ARRAY['merchant_order'::regclass]) AS s))))
        ORDER BY q.webview_session_id LIMIT 1000);
    GET DIAGNOSTICS deleted = ROW_COUNT;
END $$;

REVOKE EXECUTE ON FUNCTION ledger_prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_prune TO sallyport_service;
