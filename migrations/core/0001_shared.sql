-- What all features share: the role of the program, the record of operators' decisions, the events that merchants get.

-- The role the program works under: a login role is made a member of it, GRANT sallyport_service TO the_login_role. It runs a whole shop,
-- changes no schema, and can take away neither a trail nor an order.
-- Roles belong to the whole cluster: packaging/roles.sql has made it, or another database, perhaps at this very moment. It is looked for
-- first, because a right to make roles is asked for before it is seen that there is nothing to make.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = 'sallyport_service') THEN
        CREATE ROLE sallyport_service NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$;

-- Databases from before PostgreSQL 15 let everybody make functions and tables beside ours.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- serve and the commands of operators compare the schema with their own files.
GRANT SELECT ON feature_migration, feature_function TO sallyport_service;

-- What operators decided about money and access, by whom: written before it is carried out, completed behind it. Append-only.
CREATE TABLE operator_event (
    event_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    ended_at timestamptz,          -- NULL where it was cut off: it may have been carried out or not
    operator text        NOT NULL, -- as the command was told, or the login name
    command  text        NOT NULL, -- for example stuck --decline
    target   text        NOT NULL, -- the id of what it is about; no secret
    reason   text,                 -- why, in the operator's words; NULL where nobody has said so
    before   json,                 -- as it was found
    after    json,                 -- what it came to
    -- SHA-256 of what operator_begin gives to whoever wrote the beginning: nobody else can write the end, and without it nobody.
    secret_hash bytea
);

CREATE INDEX operator_event_age ON operator_event (at);

GRANT SELECT ON operator_event TO sallyport_service;

-- The tables whose rows go with the time that their ids begin with, in partitions of a month or a day. The migrations of each feature
-- name its own; functions make the partitions ahead, and drop them.
CREATE TABLE partitioned_table (
    parent     text     NOT NULL PRIMARY KEY,
    unit       text     NOT NULL CHECK (unit IN ('month', 'day')),
    ahead      interval NOT NULL, -- how far ahead they are made
    least_days integer  NOT NULL, -- their rows are kept for so long behind their end, whatever is asked for
    filled     integer  NOT NULL  -- percent of a page that inserts fill; updates put new versions of rows into the rest
);

GRANT SELECT ON partitioned_table TO sallyport_service;

-- What happened: for merchants' programs, and for features that act on what another one does. Numbered by what it happened to, without
-- a gap. Append-only; no token, no personal data. The id is of the time of the event, so an event of something that is years old has its
-- partition, and rows go with their own age.
CREATE TABLE event (
    subject_id   uuid        NOT NULL, -- what it happened to
    event_id     uuid        NOT NULL,
    sequence     bigint      NOT NULL, -- its place among the events of the same
    at           timestamptz NOT NULL,
    subject_kind text        NOT NULL, -- session, or a word of the feature that keeps it
    type         text        NOT NULL,
    data         json        NOT NULL, -- what it happened to, as it was then
    -- event_id, which nobody can know before, is part of the key: an event that somebody has put there by hand does not keep out the
    -- one that a step of its order writes under the same number.
    PRIMARY KEY (subject_id, sequence, event_id)
) PARTITION BY RANGE (event_id);

INSERT INTO partitioned_table VALUES ('event', 'month', interval '20 days', 180, 100);

-- How many events there are of what features keep; an order counts its own.
CREATE TABLE event_subject (
    subject_id uuid   NOT NULL PRIMARY KEY,
    events     bigint NOT NULL
) WITH (fillfactor = 70);

GRANT SELECT, INSERT ON event TO sallyport_service;
GRANT SELECT, INSERT ON event_subject TO sallyport_service;
GRANT UPDATE (events) ON event_subject TO sallyport_service;
