-- Where merchants want to be told of events, and what has not arrived there yet.
-- Locks: new objects, and one trigger: merchant_event, SHARE ROW EXCLUSIVE, for a moment. Time: milliseconds.

-- An endpoint is never deleted, so that its id is never used again.
CREATE TABLE webhook_endpoint (
    endpoint_id     uuid        NOT NULL PRIMARY KEY,
    created_at      timestamptz NOT NULL,
    removed_at      timestamptz,
    previous_until  timestamptz,          -- until then both keys sign
    url             text        NOT NULL,
    types           text[]      NOT NULL, -- of events; empty for all
    key_id          text        NOT NULL,
    secret          bytea       NOT NULL, -- sealed under merchant.secret_file, which is not in the database
    previous_key_id text,
    previous_secret bytea
);

-- The events of one flow that one endpoint has not got. A row only while there are some; it comes with the event, in the same
-- commit. Only `head` is ever on its way, so events arrive in their order.
CREATE TABLE webhook_lane (
    endpoint_id uuid        NOT NULL,
    flow_id     uuid        NOT NULL,
    attempt_id  uuid,                 -- fences the verdict on a try; NULL while nobody sends
    head        bigint      NOT NULL, -- sequence of the first event, and of the last
    tail        bigint      NOT NULL,
    next_at     timestamptz NOT NULL, -- when it is looked at again: the next try, or the end of the lease of the present one
    since       timestamptz NOT NULL, -- since when the head has been waiting
    parked_at   timestamptz,          -- nothing goes until an operator says so
    failures    integer     NOT NULL, -- of the head
    last_status integer,
    last_error  text,
    PRIMARY KEY (endpoint_id, flow_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX webhook_lane_due ON webhook_lane (endpoint_id, next_at) WHERE parked_at IS NULL;

-- Puts fresh events into the lanes of those who want them. Rows are locked in one order, that of the flows, as groups of
-- statements are sorted: two of them never wait for each other.
CREATE FUNCTION webhook_enqueue() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- Most shops have no endpoint, and a look costs less than a join that finds nothing.
    IF NOT EXISTS (SELECT FROM webhook_endpoint AS e WHERE e.removed_at IS NULL) THEN
        RETURN NULL;
    END IF;
    INSERT INTO webhook_lane (endpoint_id, flow_id, head, tail, next_at, since, failures)
    SELECT e.endpoint_id, v.flow_id, min(v.sequence), max(v.sequence), statement_timestamp(), min(v.at), 0
    FROM fresh AS v JOIN webhook_endpoint AS e ON e.removed_at IS NULL AND (e.types = '{}' OR v.type = ANY (e.types))
    GROUP BY v.flow_id, e.endpoint_id
    ORDER BY v.flow_id, e.endpoint_id
    ON CONFLICT (endpoint_id, flow_id) DO UPDATE SET tail = greatest(webhook_lane.tail, excluded.tail);
    RETURN NULL;
END $$;

-- For each statement, not for each row: whichever statement writes an event, the lane is written with it, and none can forget.
CREATE TRIGGER merchant_event_lanes AFTER INSERT ON merchant_event
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION webhook_enqueue();

GRANT SELECT, INSERT, UPDATE ON webhook_endpoint TO sallyport_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_lane TO sallyport_service;
