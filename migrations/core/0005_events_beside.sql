-- An event that somebody has put there by hand does not keep out the one that a step of its order writes under the same number: event_id,
-- which nobody can know before, is part of the key. Both stay to be seen.
-- The program of before works on. Locks: merchant_event and its partitions, to the end. Time: that of an index on all rows, some seconds
-- for each million.

ALTER TABLE merchant_event DROP CONSTRAINT merchant_event_pkey;
ALTER TABLE merchant_event ADD PRIMARY KEY (webview_session_id, sequence, event_id);
