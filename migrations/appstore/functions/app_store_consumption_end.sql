-- version: 1

-- Notes what became of an answer to Apple: sent or refused, or open for another try in so many seconds.
CREATE OR REPLACE FUNCTION app_store_consumption_end(notification text, word text, what text, part integer, pause bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE app_store_consumption AS c SET state = word, detail = what, percentage = part,
        due_at = statement_timestamp() + pause * interval '1 second'
    WHERE c.notification_id = notification AND c.state = 'open';
END $$;
