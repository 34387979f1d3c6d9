-- The words of docs/decisions/0086, in a database that has the old ones; a new one has none of them.
-- Stop all processes before: none works with both. Locks: the two tables and merchant_event, to the end. Time: milliseconds.

DO $$
BEGIN
    IF to_regclass('webhook_lane') IS NULL THEN
        RETURN;
    END IF;
    ALTER INDEX webhook_lane_pkey RENAME TO webhook_delivery_queue_pkey;
    ALTER INDEX webhook_lane_due RENAME TO webhook_delivery_queue_due;
    ALTER TABLE webhook_lane RENAME TO webhook_delivery_queue;
    ALTER TABLE webhook_delivery_queue RENAME COLUMN flow_id TO webview_session_id;
    ALTER TABLE webhook_delivery_queue RENAME COLUMN parked_at TO dead_at;
    ALTER TABLE merchant_event_feed RENAME COLUMN flow_id TO webview_session_id;
    ALTER TRIGGER merchant_event_lanes ON merchant_event RENAME TO merchant_event_queued;
END $$;
