-- When an authorised charge is looked at and announced, readings that found nothing, samples of reports, and what the provider calls a
-- request that went well.
-- Locks: payment_poll, flow_purchasing, payment_operation, flow_event and reconciliation_run, ACCESS EXCLUSIVE, not rewritten. Time:
-- milliseconds. The program of before works on: it goes by the first pauses that it finds, ends a schedule at the first 404, and
-- announces nothing.

-- In the order in which a purchase that is settled takes them: with another one both would wait for each other.
LOCK TABLE flow_purchasing, flow_event, payment_operation, payment_poll IN ACCESS EXCLUSIVE MODE;

-- Since when the provider has said that there is no such thing; one 404 proves nothing.
ALTER TABLE flow_purchasing ADD COLUMN missing_since timestamptz;

ALTER TABLE payment_poll
    ADD COLUMN missing_since  timestamptz,
    ADD COLUMN expiry_notices smallint NOT NULL DEFAULT 0; -- of an authorised charge: how many of its limits were announced

-- The provider's id of the request that brought the end, for its support.
ALTER TABLE payment_operation ADD COLUMN provider_request text;
ALTER TABLE flow_event ADD COLUMN provider_request text;

-- How many orders of the last 180 days a report compares besides those that have changed.
ALTER TABLE reconciliation_run ADD COLUMN sample bigint NOT NULL DEFAULT 0;

-- As in 0011, but a capture that is under way is looked at at once, and an authorised charge after a day.
CREATE OR REPLACE FUNCTION poll_pause(kind object_kind, state text) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'charge' AND state = 'AuthorizationInitiated' THEN interval '30 seconds'
        WHEN kind = 'charge' AND state = 'Authorized'             THEN interval '24 hours'
        WHEN kind = 'charge' AND state = 'CaptureInitiated'       THEN interval '0 seconds'
        WHEN kind = 'refund' AND state = 'RefundInitiated'        THEN interval '1 minute'
        WHEN kind = 'permission' AND state <> 'Closed'            THEN interval '720 hours'
    END
$$;

-- As in 0011, but what was found out in the state before is forgotten.
CREATE OR REPLACE FUNCTION payment_object_poll() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    pause interval := poll_pause(NEW.kind, NEW.state);
BEGIN
    IF pause IS NULL THEN
        DELETE FROM payment_poll AS p WHERE p.object_id = NEW.object_id AND NOT p.notified;
    ELSE
        INSERT INTO payment_poll AS p (object_id, kind, flow_id, since, next_at, polls, failures, notified)
        VALUES (NEW.object_id, NEW.kind, NEW.flow_id, statement_timestamp(), statement_timestamp() + pause, 0, 0, false)
        ON CONFLICT (object_id) DO UPDATE SET
            since = excluded.since, polls = 0, failures = 0, missing_since = NULL, expiry_notices = 0,
            next_at = CASE WHEN p.notified THEN p.next_at ELSE excluded.next_at END
        -- What a permission waits for counts from its beginning, whatever its state is meanwhile.
        WHERE p.kind <> 'permission';
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM notification AS n WHERE n.object_id = NEW.object_id AND n.verdict = 'unknown')
    THEN
        -- The message was faster than whoever made the object.
        PERFORM poll_wake(NEW.object_id, NEW.kind, NEW.flow_id);
    END IF;
    RETURN NULL;
END $$;

-- Announces that an authorised charge is about to pass one of its limits, once for each: after 7 days a capture takes days, after 30
-- there is nothing to capture any more. Says whether it did. `notice` is how long before.
CREATE FUNCTION payment_announce_expiring(object text, notice interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    p payment_object;
    due timestamptz;
BEGIN
    SELECT * INTO p FROM payment_object AS o WHERE o.object_id = object;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM FROM merchant_order AS o WHERE o.flow_id = p.flow_id FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    -- Under the lock of the order nothing happens to its money.
    SELECT * INTO p FROM payment_object AS o WHERE o.object_id = object;
    IF NOT FOUND OR p.kind <> 'charge' OR p.state <> 'Authorized' THEN RETURN false; END IF;
    UPDATE payment_poll AS q SET expiry_notices = l.number
    FROM (VALUES (1, interval '7 days'), (2, interval '30 days')) AS l (number, life)
    WHERE q.object_id = object AND q.expiry_notices < l.number
        -- The provider's clock where that is earlier.
        AND statement_timestamp() >= least(q.since, p.object_updated_at) + l.life - notice
        AND statement_timestamp() < least(q.since, p.object_updated_at) + l.life
    RETURNING least(q.since, p.object_updated_at) + l.life INTO due;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM order_announce(
        p.flow_id, 'charge.expiring',
        (object_event_data(p)::jsonb || jsonb_build_object('captureBefore', time_text(due)))::json);
    RETURN true;
END $$;

-- Notes what the provider called the request that ended an operation; to be called once it is settled.
CREATE FUNCTION payment_note_request(operation uuid, fence uuid, request text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF request IS NOT NULL THEN
        UPDATE payment_operation AS o SET provider_request = request
        WHERE o.operation_id = operation AND o.attempt_id = fence;
    END IF;
    RETURN true;
END $$;

-- The newest session of a merchant's reference that is paid or that a buyer can still pay, or NULL.
CREATE FUNCTION reference_holder(wanted text, at_account text, at_environment text) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT o.flow_id FROM merchant_order AS o
    LEFT JOIN LATERAL (
        SELECT f.state, is_waiting(f.state) AS waits,
            is_waiting(f.state) AND statement_timestamp() >= least(f.idle_until, f.absolute_until) AS is_over
        FROM flow AS f WHERE f.flow_id = o.flow_id OFFSET 0) AS f ON true
    WHERE o.reference = wanted AND o.account = at_account AND o.environment = at_environment
        AND CASE order_standing(o.state, f.state, f.is_over)
            WHEN 'cancelled' THEN false
            WHEN 'expired'   THEN false
            WHEN 'closed'    THEN false
            -- The buyer may choose another card until the session ends.
            WHEN 'declined'  THEN coalesce(f.waits AND NOT f.is_over, false)
            ELSE true
        END
    ORDER BY o.flow_id DESC LIMIT 1
$$;

-- The reference, where no session holds it; until the commit nobody else gets it. Otherwise the statement fails with SY001, and
-- leaves nothing behind. A function of this kind sees what was committed while it waited for the lock.
CREATE FUNCTION reference_claim(wanted text, at_account text, at_environment text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    holder uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(
        hashtextextended(format('order reference %s %s %s', at_account, at_environment, wanted), 0));
    holder := reference_holder(wanted, at_account, at_environment);
    IF holder IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'SY001', MESSAGE = format('session %s has the reference', holder);
    END IF;
    RETURN wanted;
END $$;
