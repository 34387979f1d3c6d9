-- The words of docs/decisions/0097 in events and in what endpoints want to get: `session.canceled`, and the state in it.
-- Stop all processes before: they write the old words. Locks: none that anybody waits for then. Time: that of one look at all events, a
-- second or two for each million.

UPDATE webhook_endpoint SET types = array_replace(types, 'session.cancelled', 'session.canceled')
WHERE 'session.cancelled' = ANY (types);

UPDATE merchant_event SET
    type = CASE type WHEN 'session.cancelled' THEN 'session.canceled' ELSE type END,
    -- A text in an event has its quotes escaped, and what merchants have sent in has no blanks: nothing of theirs looks like this.
    data = replace(data::text, '"state" : "cancelled"', '"state" : "canceled"')::json
WHERE data::text LIKE '%"state" : "cancelled"%' OR type = 'session.cancelled';
