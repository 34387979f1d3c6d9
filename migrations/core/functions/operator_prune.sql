-- version: 1

-- Forgets a batch of what is older than any feature keeps its rows, never less than 400 days; says how many.
CREATE OR REPLACE FUNCTION operator_prune(keep interval, OUT pruned integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM operator_event AS e WHERE e.event_id IN (
        SELECT o.event_id FROM operator_event AS o
        WHERE o.at < statement_timestamp() - partition_keep(keep, 400) ORDER BY o.at LIMIT 1000);
    GET DIAGNOSTICS pruned = ROW_COUNT;
END $$;

REVOKE EXECUTE ON FUNCTION operator_prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_prune TO sallyport_service;
