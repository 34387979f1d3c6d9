-- version: 1

-- Puts fresh events into the queues of those who want them. Rows are locked in one order, that of the subjects, as groups of statements
-- are sorted: two of them never wait for each other.
CREATE OR REPLACE FUNCTION event_enqueue() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- Most shops have neither, and a reading costs less than a join that finds nothing.
    IF NOT EXISTS (SELECT FROM webhook_endpoint AS e WHERE e.removed_at IS NULL)
        AND NOT EXISTS (SELECT FROM event_subscriber)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO event_queue (receiver_id, subject_id, head_id, head, tail, next_at, since, failures)
    SELECT r.receiver_id, v.subject_id, (array_agg(v.event_id ORDER BY v.sequence))[1], min(v.sequence), max(v.sequence),
        statement_timestamp(), min(v.at), 0
    FROM fresh AS v JOIN (
        SELECT e.endpoint_id AS receiver_id, e.types FROM webhook_endpoint AS e WHERE e.removed_at IS NULL
        UNION ALL SELECT s.subscriber_id, s.types FROM event_subscriber AS s
    ) AS r ON r.types = '{}' OR v.type = ANY (r.types)
    GROUP BY v.subject_id, r.receiver_id
    ORDER BY v.subject_id, r.receiver_id
    ON CONFLICT (receiver_id, subject_id) DO UPDATE SET tail = greatest(event_queue.tail, excluded.tail);
    RETURN NULL;
END $$;
