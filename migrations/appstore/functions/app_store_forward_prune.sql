-- version: 1

-- Deletes some notifications that were to be sent on and are older than so many seconds: nobody sends them where that was switched off.
CREATE OR REPLACE FUNCTION app_store_forward_prune(keep bigint, count_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    DELETE FROM app_store_forward AS f WHERE f.notification_id IN (
        SELECT w.notification_id FROM app_store_forward AS w
        WHERE w.created_at < statement_timestamp() - keep * interval '1 second' ORDER BY w.created_at LIMIT count_limit);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END $$;
