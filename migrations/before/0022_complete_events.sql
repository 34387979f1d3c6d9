-- Events hold the session as the interface shows it, charges and metadata included, and are listed in an order in which nothing is ever
-- put before what was read.
-- Locks: new and replaced functions, a new table, and one trigger: merchant_event, SHARE ROW EXCLUSIVE, for a moment. Time:
-- milliseconds. The program of before works on: its events are complete too, but for the first charge of an order.

-- A charge of the ledger, as the interface shows it.
CREATE FUNCTION charge_data(p payment_object) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'id', p.object_id, 'sessionId', p.flow_id, 'chargePermissionId', p.parent,
        'state', lower(regexp_replace(p.state, '([a-z])([A-Z])', '\1_\2', 'g')), 'reasonCode', p.reason,
        'amount', money_json(p.amount, p.currency), 'captured', money_json(p.captured, p.currency),
        'refunded', money_json(p.refunded, p.currency), 'createdAt', time_text(p.created_at),
        'updatedAt', time_text(coalesce(p.object_updated_at, p.observed_at)))
$$;

-- An order as an event shows it: the session as the interface shows it, and the object that the event is about. `fresh` is a charge that
-- the same statement writes, or NULL.
-- Until an order has a word of its own its flow tells how far it has come, and what is to be paid. A statement that ends an order sees its
-- flow as it was before, so the order's word goes first.
CREATE FUNCTION order_event_data(o merchant_order, object json, fresh payment_object) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE
    f record;
    charges json;
BEGIN
    SELECT coalesce(json_agg(charge_data(c.charge) ORDER BY (c.charge).created_at, (c.charge).object_id), '[]') INTO charges
    FROM (
        SELECT p AS charge FROM payment_object AS p WHERE p.flow_id = o.flow_id AND p.kind = 'charge'
        UNION ALL
        SELECT fresh WHERE fresh.kind = 'charge') AS c;
    SELECT w.state, w.postage, w.total,
        CASE WHEN o.state = 'created' AND is_waiting(w.state) THEN least(w.idle_until, w.absolute_until) ELSE w.absolute_until END
            AS ends_at,
        statement_timestamp() >= least(w.idle_until, w.absolute_until) AND is_waiting(w.state) AS is_over
    INTO f FROM flow AS w WHERE w.flow_id = o.flow_id;
    RETURN json_build_object(
        'id', o.flow_id, 'reference', o.reference,
        'state', CASE o.state WHEN 'created' THEN order_standing(o.state, f.state, f.is_over) ELSE o.state END,
        'client', o.client, 'environment', o.environment, 'currency', o.currency,
        'lines', order_lines_data(o.lines, o.currency),
        'adjustments', coalesce(order_adjustments_data(o.adjustments, o.currency), '[]'),
        'amounts', json_build_object(
            'subtotal', money_json(o.subtotal, o.currency), 'tax', money_json(o.tax, o.currency),
            'postage', money_json(coalesce(f.postage, o.postage), o.currency),
            'total', money_json(coalesce(f.total, o.total), o.currency),
            'captured', money_json(o.captured, o.currency), 'refunded', money_json(o.refunded, o.currency)),
        'checkoutSessionId', o.checkout_session, 'chargePermissionId', o.charge_permission, 'charges', charges,
        'metadata', coalesce(o.metadata, '{}'), 'createdAt', time_text(o.created_at), 'updatedAt', time_text(o.updated_at),
        'expiresAt', time_text(f.ends_at), 'object', object);
END $$;

-- As in 0009, for who writes no charge beside it.
CREATE OR REPLACE FUNCTION order_event_data(o merchant_order, object json) RETURNS json
LANGUAGE sql STABLE AS $$
    SELECT order_event_data(o, object, NULL::payment_object)
$$;

-- The events of the last 30 days in the order in which they are listed; rows are deleted in batches.
CREATE TABLE merchant_event_feed (
    flow_id  uuid        NOT NULL,
    sequence bigint      NOT NULL,
    -- The transaction that wrote the event, or one after it: never less than that of the session's event before. Whoever has read up to
    -- a transaction before which none is running has missed nothing, whatever commits later.
    xact     bigint      NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (flow_id, sequence)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX merchant_event_feed_order ON merchant_event_feed (xact, flow_id, sequence);

-- Lists fresh events. The order of a session's row is locked by whoever writes its events, so the one before is there.
CREATE FUNCTION merchant_event_list() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO merchant_event_feed (flow_id, sequence, xact, at)
    SELECT v.flow_id, v.sequence, greatest(pg_current_xact_id()::text::bigint, (
        SELECT b.xact FROM merchant_event_feed AS b WHERE b.flow_id = v.flow_id AND b.sequence = v.sequence - 1)), v.at
    FROM fresh AS v ORDER BY v.flow_id, v.sequence;
    RETURN NULL;
END $$;

CREATE TRIGGER merchant_event_listed AFTER INSERT ON merchant_event
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION merchant_event_list();

GRANT SELECT, INSERT, DELETE ON merchant_event_feed TO sallyport_service;
