-- version: 1

-- Numbers an event of something that a feature keeps, and writes it down for webhooks and the list; gives its number. In the
-- statement that has the effect, and behind it: the row of the subject must be locked, as whoever writes it has it locked.
-- The subject's id is a UUID of version 7 from the months that have partitions; the type begins with no word of orders'.
CREATE OR REPLACE FUNCTION feature_announce(subject uuid, event text, about json) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
BEGIN
    SELECT coalesce(max(v.sequence), 0) + 1 INTO number FROM merchant_event AS v WHERE v.webview_session_id = subject;
    INSERT INTO merchant_event (webview_session_id, event_id, sequence, at, type, data)
    VALUES (subject, gen_random_uuid(), number, statement_timestamp(), event, about);
    RETURN number;
END $$;
