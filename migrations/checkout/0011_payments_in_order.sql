-- The order in which payments are listed: that in which they were written down. Whatever writes one has locked its order, so of two of an
-- order the one that is seen later has the greater number, whichever the provider made first. And the forms of docs/decisions/0097 in the
-- events of orders: `object` says that the data is a session, `about` what the event is about.
-- Stop all processes before: they write events of the form of before. Locks: payment_object, to the end. Time: that of one look at all
-- payments and at all events, which are written anew; some seconds for each million.

ALTER TABLE payment_object ADD COLUMN ordinal bigint; -- grows with each payment of an order that is written down

UPDATE payment_object AS p SET ordinal = n.ordinal
FROM (SELECT q.object_id, row_number() OVER (ORDER BY q.created_at, q.object_id) AS ordinal FROM payment_object AS q) AS n
WHERE p.object_id = n.object_id;

ALTER TABLE payment_object ALTER COLUMN ordinal SET NOT NULL;
ALTER TABLE payment_object ALTER COLUMN ordinal ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('payment_object', 'ordinal'), (SELECT coalesce(max(p.ordinal), 0) + 1 FROM payment_object AS p), false);

-- As text: jsonb refuses escapes that json keeps. A text in an event has its quotes escaped, and what merchants have sent in has no blanks:
-- nothing of theirs looks like this.
UPDATE merchant_event AS e SET data = ('{"object" : "session", ' || substr(replace(e.data::text, '"object" : ', '"about" : '), 2))::json
WHERE split_part(e.type, '.', 1) IN ('session', 'charge', 'refund', 'payment', 'permission', 'chargeback')
    AND e.data::text LIKE '%"object" : %';
