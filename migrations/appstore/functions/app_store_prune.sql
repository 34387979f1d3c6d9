-- version: 1

-- Deletes some notifications that are older than so many seconds; gives their number.
CREATE OR REPLACE FUNCTION app_store_prune(keep bigint, count_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    pruned bigint;
BEGIN
    DELETE FROM app_store_notification AS n WHERE n.notification_id IN (
        SELECT w.notification_id FROM app_store_notification AS w
        WHERE w.received_at < statement_timestamp() - keep * interval '1 second' ORDER BY w.received_at LIMIT count_limit);
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END $$;
