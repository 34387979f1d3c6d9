-- Where merchants want to be told of events, what has not arrived there yet, and the order in which events are listed.

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

-- Features that act on what others do. A row comes when a program that has it is started for the first time; from then on it gets events.
CREATE TABLE event_subscriber (
    subscriber_id uuid   NOT NULL PRIMARY KEY,
    name          text   NOT NULL UNIQUE,
    types         text[] NOT NULL -- of events
);

-- The events of one subject that one receiver, an endpoint or a subscriber, has not got. A row only while there are some; it comes with
-- the event, in the same commit. Only `head` is ever on its way, so events arrive in their order.
CREATE TABLE event_queue (
    receiver_id uuid        NOT NULL,
    subject_id  uuid        NOT NULL,
    attempt_id  uuid,                 -- fences the outcome of a try; NULL while nobody is at it
    head_id     uuid        NOT NULL, -- event_id of the first event
    head        bigint      NOT NULL, -- sequence of the first event, and of the last
    tail        bigint      NOT NULL,
    next_at     timestamptz NOT NULL, -- when it is read again: the next try, or the end of the lease of the present one
    since       timestamptz NOT NULL, -- since when the head has been waiting
    dead_at     timestamptz,          -- nothing goes until an operator says so
    failures    integer     NOT NULL, -- of the head
    last_status integer,
    last_error  text,
    PRIMARY KEY (receiver_id, subject_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX event_queue_due ON event_queue (receiver_id, next_at) WHERE dead_at IS NULL;

-- The events of the last 30 days in the order in which they are listed; rows are deleted in batches.
CREATE TABLE event_feed (
    subject_id uuid        NOT NULL,
    event_id   uuid        NOT NULL,
    sequence   bigint      NOT NULL,
    -- The transaction that wrote the event, or one after it: never less than that of the subject's event before. Whoever has read up to
    -- a transaction before which none is running has missed nothing, whatever commits later.
    xact       bigint      NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (subject_id, sequence, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX event_feed_order ON event_feed (xact, subject_id, sequence);

-- Where an endpoint is and what it gets stays as an operator has written it.
GRANT SELECT, INSERT ON webhook_endpoint TO sallyport_service;
GRANT UPDATE (removed_at, previous_until, key_id, secret, previous_key_id, previous_secret) ON webhook_endpoint TO sallyport_service;
GRANT SELECT, INSERT ON event_subscriber TO sallyport_service;
GRANT UPDATE (types) ON event_subscriber TO sallyport_service;
GRANT SELECT, INSERT, DELETE ON event_queue TO sallyport_service;
GRANT UPDATE (
    attempt_id, head_id, head, tail, next_at, since, dead_at, failures, last_status, last_error
) ON event_queue TO sallyport_service;
GRANT SELECT, INSERT, DELETE ON event_feed TO sallyport_service;

-- Stubs: functions/ has their texts, and is applied right behind.
CREATE FUNCTION event_enqueue() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FUNCTION event_list() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

-- For each statement, not for each row: whichever statement writes an event, the queue is written with it, and none can forget.
CREATE TRIGGER event_queued AFTER INSERT ON event
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION event_enqueue();

CREATE TRIGGER event_listed AFTER INSERT ON event
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION event_list();
