-- What the provider pushes, and which objects are to be asked about: a message says that something changed, never what, so all it
-- does is to bring a reading forward.
-- Locks: new objects, and payment_object, SHARE ROW EXCLUSIVE while its open rows are read once. Time: milliseconds, seconds with
-- a million open objects. The program of before does not know them and works on.

-- Every message that was believed, for 30 days; rows are deleted in batches.
CREATE TABLE notification (
    message_id  text        NOT NULL PRIMARY KEY, -- the same at every delivery
    received_at timestamptz NOT NULL,
    flow_id     uuid,                             -- NULL where no order has the object
    deliveries  integer     NOT NULL DEFAULT 1,
    kind        text        NOT NULL,             -- the sender's word, for example CHARGE
    object_id   text        NOT NULL,
    verdict     text        NOT NULL              -- taken, unknown
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX notification_age ON notification (received_at);

-- Messages that came before what they are about was written down; a handful.
CREATE INDEX notification_unknown ON notification (object_id) WHERE verdict = 'unknown';

-- The objects that are asked about again; a row goes when there is nothing to expect any more.
CREATE TABLE payment_poll (
    object_id   text        NOT NULL PRIMARY KEY,
    kind        object_kind NOT NULL,
    flow_id     uuid        NOT NULL,
    since       timestamptz NOT NULL, -- when the object came into its state, as far as was seen
    next_at     timestamptz NOT NULL,
    lease_until timestamptz,
    attempt_id  uuid,                 -- fences whoever asks
    polls       integer     NOT NULL, -- readings of the schedule in this state
    failures    integer     NOT NULL, -- readings in a row that brought no answer
    notified    boolean     NOT NULL  -- a message came since the last reading began
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_poll_due ON payment_poll (next_at);

-- Has an object read as soon as possible, whatever its schedule says.
CREATE FUNCTION poll_wake(object text, what object_kind, flow uuid) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO payment_poll AS p (object_id, kind, flow_id, since, next_at, polls, failures, notified)
    VALUES (object, what, flow, statement_timestamp(), statement_timestamp(), 0, 0, true)
    ON CONFLICT (object_id) DO UPDATE SET next_at = least(p.next_at, statement_timestamp()), notified = true
$$;

-- When an object that has come into a state is read first, or NULL where nothing is expected of it. The program's schedule says
-- the same and goes on from there.
CREATE FUNCTION poll_pause(kind object_kind, state text) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'charge' AND state = 'AuthorizationInitiated' THEN interval '30 seconds'
        WHEN kind = 'charge' AND state = 'Authorized'             THEN interval '167 hours'
        WHEN kind = 'charge' AND state = 'CaptureInitiated'       THEN interval '1 minute'
        WHEN kind = 'refund' AND state = 'RefundInitiated'        THEN interval '1 minute'
        WHEN kind = 'permission' AND state <> 'Closed'            THEN interval '720 hours'
    END
$$;

-- The schedule follows the ledger, whoever writes it.
CREATE FUNCTION payment_object_poll() RETURNS trigger
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
            since = excluded.since, polls = 0, failures = 0,
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

CREATE TRIGGER payment_object_made AFTER INSERT ON payment_object
FOR EACH ROW EXECUTE FUNCTION payment_object_poll();

CREATE TRIGGER payment_object_moved AFTER UPDATE OF state ON payment_object
FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION payment_object_poll();

-- What was written down before.
INSERT INTO payment_poll (object_id, kind, flow_id, since, next_at, polls, failures, notified)
SELECT o.object_id, o.kind, o.flow_id, statement_timestamp(), statement_timestamp() + poll_pause(o.kind, o.state), 0, 0, false
FROM payment_object AS o WHERE NOT o.final AND poll_pause(o.kind, o.state) IS NOT NULL
ON CONFLICT (object_id) DO NOTHING;

-- Takes a message in: `taken`, `duplicate`, or `unknown` where no order has the object or what it stands under (`above`).
CREATE FUNCTION notification_receive(message text, said text, object text, above text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    flow uuid;
    times integer;
BEGIN
    SELECT p.flow_id INTO flow FROM payment_object AS p
    WHERE p.object_id IN (object, above) ORDER BY p.object_id <> object LIMIT 1;
    IF said = 'CHARGEBACK' AND flow IS NOT NULL THEN
        -- Its event is numbered under the lock of the order, which comes before all others.
        PERFORM FROM merchant_order AS o WHERE o.flow_id = flow FOR UPDATE;
    END IF;
    INSERT INTO notification AS n (message_id, received_at, kind, object_id, flow_id, verdict)
    VALUES (message, statement_timestamp(), said, object, flow, CASE WHEN flow IS NULL THEN 'unknown' ELSE 'taken' END)
    ON CONFLICT (message_id) DO UPDATE SET deliveries = n.deliveries + 1
    RETURNING n.deliveries INTO times;
    IF times > 1 THEN RETURN 'duplicate'; END IF;
    IF flow IS NULL THEN RETURN 'unknown'; END IF;
    IF said = 'CHARGEBACK' THEN
        -- It cannot be read itself; what it is about can.
        PERFORM order_announce(flow, 'chargeback.received', json_build_object('kind', 'chargeback', 'id', object));
        PERFORM poll_wake(p.object_id, p.kind, flow) FROM payment_object AS p
        WHERE p.flow_id = flow AND p.kind IN ('permission', 'charge') AND above IN (p.object_id, p.parent);
    ELSE
        PERFORM poll_wake(
            object, CASE said WHEN 'CHARGE' THEN 'charge' WHEN 'REFUND' THEN 'refund' ELSE 'permission' END::object_kind, flow);
    END IF;
    RETURN 'taken';
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON notification, payment_poll TO sallyport_service;
