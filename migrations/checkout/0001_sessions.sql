-- Replaces before/: recorded without being run where those files have run.
-- Replaces text cf4c3da0ab606f1ef5d13febfb0bebcbb301626ec41337fd03a6be5286ed5f21.
-- Webview sessions, their audit trail and their sealed private data, and the rules under which programs work on them.

-- A merchant's own site: like an app's, its two secrets are presented at the merchant's server, but the way back is an address of the merchant's.
CREATE TYPE webview_session_client AS ENUM ('iosApp', 'androidApp', 'browser', 'site', 'mobileApp');

CREATE TYPE webview_session_state AS ENUM (
    'issued', 'opened', 'reviewed', 'placed', 'purchasing',
    'authorized', 'declined', 'cancelled', 'revoked', 'expired'
);

-- One row per webview session. Fixed widths first, so that hardly a row carries padding.
-- The key is a UUID of version 7 made by the program: ordered by time, hence the partition key too.
-- No other index: no column that changes is indexed, so every transition is a heap-only update.
-- No CHECK: PostgreSQL parses each of them anew for every statement, 7 us for five; what they would say is tested instead.
CREATE TABLE webview_session (
    webview_session_id  uuid                   NOT NULL PRIMARY KEY,
    attempt_id          uuid,                            -- fences settle and release
    created_at          timestamptz            NOT NULL,
    launch_until        timestamptz            NOT NULL, -- the ticket opens until then; after the open: re-opens, once
    idle_until          timestamptz            NOT NULL,
    absolute_until      timestamptz            NOT NULL,
    tab_seen_at         timestamptz,                     -- first time the tab came back with its token
    both_presented_at   timestamptz,                     -- profile strict: when both secrets were presented
    lease_until         timestamptz,
    receipt_until       timestamptz,
    subtotal            bigint                 NOT NULL, -- whole yen, as all sums
    tax_included        bigint                 NOT NULL,
    postage             bigint,
    total               bigint,                          -- tax_included + postage
    client              webview_session_client NOT NULL,
    state               webview_session_state  NOT NULL,
    events              integer                NOT NULL, -- ordinal of the newest audit row
    attempt             integer                NOT NULL, -- grows when a purchase begins, never when one is recovered
    placements          integer                NOT NULL, -- fences unplace
    proof_misses        integer                NOT NULL,
    outcome             text                   NOT NULL, -- of the last guarded statement
    launch_hash         bytea                  NOT NULL, -- all hashes: SHA-256 of the whole token text, 32 bytes
    tab_hash            bytea,
    tab_superseded_hash bytea,                           -- the one superseded token that a re-open may leave behind
    return_hash         bytea,
    app_hash            bytea,                           -- NULL only in profile compat
    challenge           bytea,                           -- SHA-256 of the verifier, where one is bound
    cart                json                   NOT NULL, -- priced lines, written by the program only
    order_ref           text,                            -- checkout session of the provider
    charge_permission   text,
    charge              text,
    result              bytea,                           -- the answer to the purchase, byte for byte
    -- NULL for the shop's own webview sessions, whose postage follows from the address. Else {"postage":1080} and, where they were given,
    -- "returnUrl" and "capture". Written by the program once, when the session is opened.
    terms               json,
    -- HMAC under the return ticket of checkout session, postage, buyer and address: the same for the same content, and no way to test a
    -- guess at an address for whoever has the database alone. NULL before the review.
    shown               bytea
) PARTITION BY RANGE (webview_session_id);

-- Append-only; no token, no personal data. The ordinal comes from the row of the webview session while that is locked, so the order of
-- a trail is exact without a sequence.
CREATE TABLE webview_session_event (
    webview_session_id uuid                  NOT NULL,
    at                 timestamptz           NOT NULL,
    ordinal            integer               NOT NULL,
    to_state           webview_session_state NOT NULL,
    op                 text                  NOT NULL,
    outcome            text                  NOT NULL,
    reason             text,
    peer               text                  NOT NULL, -- truncated address and fingerprint of the user agent, or a word for the program itself
    request            text                  NOT NULL,
    provider_request   text,                           -- the provider's id of the request that brought the end, for its support
    PRIMARY KEY (webview_session_id, ordinal)
) PARTITION BY RANGE (webview_session_id);

-- Buyer and address, AES-256-GCM under a key from the return ticket. Whole days are dropped.
CREATE TABLE webview_session_private (
    webview_session_id uuid  NOT NULL PRIMARY KEY,
    sealed             bytea NOT NULL
) PARTITION BY RANGE (webview_session_id);

-- The webview sessions whose purchase is under way: a handful of rows at any time, so that a stuck one is found without an index on a
-- column of webview session that changes. A row comes with the beginning of an attempt and goes with its end, in the same statement.
CREATE TABLE webview_session_purchase (
    webview_session_id uuid        NOT NULL PRIMARY KEY,
    since              timestamptz NOT NULL DEFAULT statement_timestamp(), -- when the attempt began
    next_at            timestamptz NOT NULL DEFAULT statement_timestamp(), -- not read before; the lease must be over too
    stuck_at           timestamptz,                        -- given up: a person has to decide
    recoveries         integer     NOT NULL DEFAULT 0,
    woken              boolean     NOT NULL DEFAULT false, -- whether a message asked for the next reading, which is then none of the schedule's
    failures           integer     NOT NULL DEFAULT 0,     -- take-overs in a row that the database refused
    reason             text,                               -- gone, amount, time; NULL while it is under way, and where a program of before gave it up
    missing_since      timestamptz                         -- since when the provider has said that there is no such thing; one 404 proves nothing
);

-- How far the sweep has come, so that a program that starts does not read every webview session that is kept.
-- One row, or none before the first sweep. No CHECK and no trigger: the program writes it once an hour.
CREATE TABLE webview_session_sweep (
    only_row     boolean NOT NULL PRIMARY KEY DEFAULT true,
    ended_before uuid    NOT NULL -- every webview session with a lesser id has come to its end
);

-- The rules under which the programs of this database work, so that one with others is refused at its start.
-- One row, from the first start on.
CREATE TABLE program_policy (
    is_only boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (is_only),
    words   text        NOT NULL, -- name=value, as the settings name them
    since   timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON webview_session, webview_session_private, webview_session_sweep, program_policy TO sallyport_service;
GRANT SELECT, INSERT ON webview_session_event TO sallyport_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON webview_session_purchase TO sallyport_service;

-- A stub: functions/ has its text, and is applied right behind.
CREATE FUNCTION purchase_announce_stuck() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

CREATE TRIGGER webview_session_purchase_stuck AFTER UPDATE OF stuck_at ON webview_session_purchase
FOR EACH ROW WHEN (OLD.stuck_at IS NULL AND NEW.stuck_at IS NOT NULL) EXECUTE FUNCTION purchase_announce_stuck();
