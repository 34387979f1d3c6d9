-- version: 1

-- Applies what a kept notification says of its purchase once more, the way every text takes; where all of it was applied before, nothing
-- changes. The row keeps what became of the purchase the first time, unless that is another thing now.
CREATE OR REPLACE FUNCTION app_store_replay(notification text, said json, worth bigint, OUT outcome text, OUT is_changed boolean)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT a.outcome, a.is_changed INTO outcome, is_changed FROM app_store_apply(NULL, said, worth) AS a;
    UPDATE app_store_notification AS n SET outcome = app_store_replay.outcome, transaction_id = said->>'transaction'
    WHERE n.notification_id = notification AND (is_changed OR n.outcome = 'refused');
END $$;
