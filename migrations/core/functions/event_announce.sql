-- version: 1

-- Numbers an event of something that a feature keeps, and writes it down for whoever wants it; gives its number. In the statement that
-- has the effect, so that neither is without the other: whoever writes another event of the same waits until this one is committed.
-- What it happened to may be of any age. Its kind is a word of the feature; orders have the kind session, and count by themselves.
CREATE OR REPLACE FUNCTION event_announce(kind text, subject uuid, event text, about json) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
BEGIN
    INSERT INTO event_subject AS s (subject_id, events) VALUES (subject, 1)
    ON CONFLICT (subject_id) DO UPDATE SET events = s.events + 1
    RETURNING s.events INTO number;
    INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
    VALUES (subject, id_new(), number, statement_timestamp(), kind, event, about);
    RETURN number;
END $$;
