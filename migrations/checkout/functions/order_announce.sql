-- version: 1

-- Numbers an event of an order and writes it down. The order must be locked.
CREATE OR REPLACE FUNCTION order_announce(flow uuid, event text, object json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH o AS (
        UPDATE merchant_order AS o SET events = o.events + 1 WHERE o.flow_id = flow
        RETURNING o.flow_id, o.events, order_event_data(o, object) AS data
    )
    INSERT INTO merchant_event (flow_id, event_id, sequence, at, type, data)
    SELECT o.flow_id, gen_random_uuid(), o.events, statement_timestamp(), event, o.data FROM o;
END $$;
