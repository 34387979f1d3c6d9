-- Flows, their audit trail and their sealed private data.
-- Locks: creates new objects only. Time: milliseconds.

CREATE TYPE flow_client AS ENUM ('iosApp', 'androidApp', 'browser');

CREATE TYPE flow_state AS ENUM (
    'issued', 'opened', 'reviewed', 'placed', 'purchasing',
    'authorized', 'declined', 'cancelled', 'revoked', 'expired'
);

-- One row per crossing. Fixed widths first, so that no row carries padding.
-- The key is a UUID of version 7 made by the program: ordered by time, hence the partition key too.
-- No other index: no column that changes is indexed, so every transition is a heap-only update.
-- No CHECK: PostgreSQL parses each of them anew for every statement, 7 us for five; what they would say is tested instead.
CREATE TABLE flow (
    flow_id           uuid        NOT NULL PRIMARY KEY,
    attempt_id        uuid,                 -- fences settle and release
    created_at        timestamptz NOT NULL,
    launch_until      timestamptz NOT NULL, -- the ticket opens until then; after the open: re-opens, once
    idle_until        timestamptz NOT NULL,
    absolute_until    timestamptz NOT NULL,
    b_seen_at         timestamptz,          -- first time the tab came back with its token
    met_at            timestamptz,          -- profile strict: both halves have met
    lease_until       timestamptz,
    receipt_until     timestamptz,
    subtotal          bigint      NOT NULL, -- whole yen, as all sums
    tax_included      bigint      NOT NULL,
    postage           bigint,
    total             bigint,               -- tax_included + postage
    client            flow_client NOT NULL,
    state             flow_state  NOT NULL,
    events            integer     NOT NULL, -- ordinal of the newest audit row
    attempt           integer     NOT NULL, -- grows when a purchase begins, never when one is recovered
    placements        integer     NOT NULL, -- fences unplace
    proof_misses      integer     NOT NULL,
    verdict           text        NOT NULL, -- of the last guarded statement
    a_hash            bytea       NOT NULL, -- all hashes: SHA-256 of the whole token text, 32 bytes
    b_hash            bytea,
    b_prev_hash       bytea,                -- the one orphan that a re-open may leave behind
    c_hash            bytea,
    app_hash          bytea,                -- NULL only in profile compat
    challenge         bytea,                -- SHA-256 of the verifier, where one is bound
    cart              json        NOT NULL, -- priced lines, written by the program only
    order_ref         text,                 -- checkout session of the provider
    charge_permission text,
    charge            text,
    result            bytea                 -- the answer to the purchase, byte for byte
) PARTITION BY RANGE (flow_id);

-- Append-only; no token, no personal data. The ordinal comes from the row of the flow while that is locked, so the order of
-- a trail is exact without a sequence.
CREATE TABLE flow_event (
    flow_id  uuid        NOT NULL,
    at       timestamptz NOT NULL,
    ordinal  integer     NOT NULL,
    to_state flow_state  NOT NULL,
    op       text        NOT NULL,
    verdict  text        NOT NULL,
    reason   text,
    peer     text        NOT NULL, -- truncated address and fingerprint of the user agent, or a word for the program itself
    request  text        NOT NULL,
    PRIMARY KEY (flow_id, ordinal)
) PARTITION BY RANGE (flow_id);

-- Buyer and address, AES-256-GCM under a key from the return ticket. Whole days are dropped.
CREATE TABLE flow_private (
    flow_id uuid  NOT NULL PRIMARY KEY,
    sealed  bytea NOT NULL
) PARTITION BY RANGE (flow_id);

-- The flows whose purchase is under way: a handful of rows at any time, so that a stuck one is found without an index on a
-- column of flow that changes. A row comes with the beginning of an attempt and goes with its end, in the same statement.
CREATE TABLE flow_purchasing (
    flow_id uuid NOT NULL PRIMARY KEY
);
