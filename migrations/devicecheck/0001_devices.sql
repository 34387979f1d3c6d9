-- The two bits that Apple keeps of devices: what accounts were given for them, what waits for their next visit, and what was decided.
-- No table has a device token, and none an id of a device: Apple gives none.

-- An account that has asked about a device: one request of it at a time talks to Apple.
CREATE TABLE device_account (
    account_id     uuid        NOT NULL PRIMARY KEY REFERENCES account,
    busy_flow      uuid,        -- the request that talks to Apple, or the last one that has
    busy_until     timestamptz, -- until when the others wait for it; NULL where it is over
    queued_at      timestamptz, -- since when the mark waits
    refused_at     timestamptz, -- when Apple has last refused a token of it
    released_at    timestamptz, -- when it has last released a device
    reset_until    timestamptz, -- until when the code works with which a device is reset
    refusals       integer     NOT NULL, -- tokens that were refused, one soon after the other
    reset_hash     bytea,       -- SHA-256 of the code
    queued         text        CHECK (queued IN ('known', 'trial-used', 'paid', 'blocked')), -- the highest mark that waits
    queued_for     text,        -- the event that it stands for
    reset_operator text,
    reset_reason   text
) WITH (fillfactor = 70);

GRANT SELECT, INSERT, DELETE ON device_account TO sallyport_service;
GRANT UPDATE (
    busy_flow, busy_until, queued_at, refused_at, released_at, reset_until, refusals, reset_hash, queued, queued_for, reset_operator,
    reset_reason
) ON device_account TO sallyport_service;

-- What an account was given for a purpose, or is about to be: the row is there before the device is marked.
CREATE TABLE device_claim (
    claim_id   uuid        NOT NULL PRIMARY KEY,
    account_id uuid        NOT NULL REFERENCES account,
    flow_id    uuid        NOT NULL, -- the request that works on it, or the last one that has
    begun_at   timestamptz NOT NULL, -- when the device was to be marked
    granted_at timestamptz,          -- when it was given last; NULL while it never was
    grants     bigint      NOT NULL, -- how often it was given
    purpose    text        NOT NULL,
    -- pending: the device is being marked, or the program has died over it; uncertain: nobody knows whether it was marked
    status     text        NOT NULL CHECK (status IN ('pending', 'uncertain', 'granted')),
    wanted     text,                 -- the state that the device is marked with; NULL for none
    UNIQUE (account_id, purpose)
) WITH (fillfactor = 80);

-- Those that nobody has come back for.
CREATE INDEX device_claim_begun ON device_claim (begun_at) WHERE grants = 0;

GRANT SELECT, INSERT, DELETE ON device_claim TO sallyport_service;
GRANT UPDATE (flow_id, begun_at, granted_at, grants, status, wanted) ON device_claim TO sallyport_service;

-- Tokens that were shown, for a day, as keyed hashes: the key is not in the database. A token serves one flow.
CREATE TABLE device_token (
    flow_id     uuid        NOT NULL, -- the checkId
    seen_at     timestamptz NOT NULL,
    token_hash  bytea       NOT NULL PRIMARY KEY,
    is_finished boolean     NOT NULL  -- whether nothing more is done with it
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX device_token_age ON device_token (seen_at);

GRANT SELECT, INSERT, DELETE ON device_token TO sallyport_service;
GRANT UPDATE (is_finished) ON device_token TO sallyport_service;

-- What Apple was asked, what was decided and what persons have done. Rows are added, and go with their time or their account.
CREATE TABLE device_history (
    history_id uuid NOT NULL PRIMARY KEY,
    account_id uuid NOT NULL,
    flow_id    uuid,          -- the request that it belongs to
    kind       text NOT NULL, -- call, check, claim, mark, validate, queue, reset, release, reset-code
    purpose    text,          -- or the event
    outcome    text NOT NULL,
    detail     json NOT NULL
) PARTITION BY RANGE (history_id);

CREATE INDEX device_history_account ON device_history (account_id, history_id);

INSERT INTO partitioned_table VALUES ('device_history', 'month', interval '20 days', 30, 100);

GRANT SELECT, INSERT, DELETE ON device_history TO sallyport_service;
