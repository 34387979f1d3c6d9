-- version: 1

-- Deletes some notifications, and some questions of Apple, that are older than so many seconds; gives the greater of both numbers.
CREATE OR REPLACE FUNCTION app_store_prune(keep bigint, count_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    notifications bigint;
    questions bigint;
BEGIN
    DELETE FROM app_store_notification AS n WHERE n.notification_id IN (
        SELECT w.notification_id FROM app_store_notification AS w
        WHERE w.received_at < statement_timestamp() - keep * interval '1 second' ORDER BY w.received_at LIMIT count_limit);
    GET DIAGNOSTICS notifications = ROW_COUNT;
    DELETE FROM app_store_consumption AS c WHERE c.notification_id IN (
        SELECT w.notification_id FROM app_store_consumption AS w
        WHERE w.requested_at < statement_timestamp() - keep * interval '1 second' ORDER BY w.requested_at LIMIT count_limit);
    GET DIAGNOSTICS questions = ROW_COUNT;
    RETURN greatest(notifications, questions);
END $$;
