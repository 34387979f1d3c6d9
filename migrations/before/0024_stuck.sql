-- What waits for a person: why a purchase was given up, the events that say so, charges that no order has, and what operators decide.
-- Locks: flow_purchasing, ACCESS EXCLUSIVE, a handful of rows that are not rewritten; payment_operation, SHARE ROW EXCLUSIVE, for its
-- trigger; notification, SHARE, while it is read once for an index. Time: milliseconds, seconds with a million messages of the last
-- 30 days: messages that come meanwhile are answered 503 and delivered again. The program of before works on: what it gives up is
-- announced too, without a reason.

-- gone, amount, time; NULL while it is under way, and where a program of before gave it up.
ALTER TABLE flow_purchasing ADD COLUMN reason text;

-- Triggers, so that whichever statement gives something up, its event is in the same commit.
CREATE FUNCTION purchase_announce_stuck() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merchant_order AS o SET updated_at = statement_timestamp() WHERE o.flow_id = NEW.flow_id;
    PERFORM order_announce(NEW.flow_id, 'session.stuck', (
        SELECT json_build_object(
            'kind', 'session', 'id', o.checkout_session, 'state', 'stuck', 'reasonCode', NEW.reason,
            'amount', money_json(o.total, o.currency))
        FROM merchant_order AS o WHERE o.flow_id = NEW.flow_id));
    RETURN NULL;
END $$;

CREATE TRIGGER flow_purchasing_stuck AFTER UPDATE OF stuck_at ON flow_purchasing
FOR EACH ROW WHEN (OLD.stuck_at IS NULL AND NEW.stuck_at IS NOT NULL) EXECUTE FUNCTION purchase_announce_stuck();

CREATE FUNCTION payment_announce_stuck() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merchant_order AS o SET updated_at = statement_timestamp() WHERE o.flow_id = NEW.flow_id;
    PERFORM order_announce(NEW.flow_id, 'payment.stuck', json_build_object(
        'kind', NEW.kind, 'id', NEW.target, 'state', 'stuck', 'reasonCode', NEW.reason,
        'amount', money_json(NEW.amount, NEW.currency), 'operationId', NEW.operation_id));
    RETURN NULL;
END $$;

CREATE TRIGGER payment_operation_stuck AFTER UPDATE OF state ON payment_operation
FOR EACH ROW WHEN (OLD.state <> 'stuck' AND NEW.state = 'stuck') EXECUTE FUNCTION payment_announce_stuck();

-- Messages about charges that no order has: those that were not followed yet, and those whose order is unpaid (verdict `unpaid`).
CREATE INDEX notification_unasked ON notification (received_at) WHERE verdict = 'unknown' AND NOT asked AND kind IN ('CHARGE', 'CHARGE_PERMISSION');
CREATE INDEX notification_unknown_permission ON notification (left(object_id, 19)) WHERE verdict = 'unknown';
CREATE INDEX notification_unpaid ON notification (left(object_id, 19)) WHERE verdict = 'unpaid';

-- What operators decided about money and access, by whom: written before it is carried out, completed behind it. Append-only.
CREATE TABLE operator_event (
    event_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    ended_at timestamptz,          -- NULL where it was cut off: it may have been carried out or not
    operator text        NOT NULL, -- as the command was told, or the login name
    command  text        NOT NULL, -- for example stuck --decline
    target   text        NOT NULL, -- the id of what it is about; no secret
    before   json,                 -- as it was found
    after    json                  -- what it came to
);

CREATE INDEX operator_event_age ON operator_event (at);

-- The service role adds to the trail through these alone: it neither chooses times nor changes what is written.
CREATE FUNCTION operator_begin(who text, what text, about text, found json) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO operator_event (operator, command, target, before) VALUES (who, what, about, found) RETURNING event_id
$$;

CREATE FUNCTION operator_end(event bigint, result json) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE operator_event SET after = result, ended_at = statement_timestamp() WHERE event_id = event AND ended_at IS NULL
$$;

-- Forgets a batch of what is older than orders are kept, never less than 400 days; says how many.
CREATE FUNCTION operator_prune(keep interval, OUT pruned integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM operator_event AS e WHERE e.event_id IN (
        SELECT o.event_id FROM operator_event AS o
        WHERE o.at < statement_timestamp() - partition_keep(keep, 400) ORDER BY o.at LIMIT 1000);
    GET DIAGNOSTICS pruned = ROW_COUNT;
END $$;

GRANT SELECT ON operator_event TO sallyport_service;
REVOKE EXECUTE ON FUNCTION operator_begin, operator_end, operator_prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_begin, operator_end, operator_prune TO sallyport_service;
