-- version: 1

-- Notes what became of the try with this number to send a notification on: another one in so many seconds, or none with NULL. A try that has
-- outlasted its lease says nothing any more.
CREATE OR REPLACE FUNCTION app_store_forward_end(notification text, try integer, pause bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF pause IS NULL THEN
        DELETE FROM app_store_forward AS f WHERE f.notification_id = notification AND f.attempts = try;
    ELSE
        UPDATE app_store_forward AS f SET due_at = statement_timestamp() + pause * interval '1 second'
        WHERE f.notification_id = notification AND f.attempts = try;
    END IF;
END $$;
