-- version: 1

-- Lists fresh events. Whoever writes an event has locked what it happened to, so the one before is there. Where somebody has put another
-- event under the same number, both are listed.
CREATE OR REPLACE FUNCTION event_list() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_feed (subject_id, event_id, sequence, xact, at)
    SELECT v.subject_id, v.event_id, v.sequence, greatest(pg_current_xact_id()::text::bigint, (
        SELECT max(b.xact) FROM event_feed AS b
        WHERE b.subject_id = v.subject_id AND b.sequence = v.sequence - 1)), v.at
    FROM fresh AS v ORDER BY v.subject_id, v.sequence;
    RETURN NULL;
END $$;
