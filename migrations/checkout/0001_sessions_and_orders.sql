-- Webview sessions, their audit trail and their sealed private data, and the rules under which programs work on them. Then orders as
-- merchants see them, the ledger of what the provider holds and has taken, the operations on it, and what the provider pushes.

-- A merchant's own site: like an app's, its two secrets are presented at the merchant's server, but the way back is an address of the merchant's.
CREATE TYPE webview_session_client AS ENUM ('iosApp', 'androidApp', 'browser', 'site', 'mobileApp');

CREATE TYPE webview_session_state AS ENUM (
    'issued', 'opened', 'reviewed', 'placed', 'purchasing',
    'authorized', 'declined', 'canceled', 'revoked', 'expired'
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
-- a trail is exact without a sequence. The time is part of the key, and the program's role cannot choose it: a row that somebody has put
-- there by hand does not keep out the one that a step of its session writes under the same number, and nobody writes a row for another time.
CREATE TABLE webview_session_event (
    webview_session_id uuid                  NOT NULL,
    at                 timestamptz           NOT NULL DEFAULT statement_timestamp(),
    ordinal            integer               NOT NULL,
    to_state           webview_session_state NOT NULL,
    op                 text                  NOT NULL,
    outcome            text                  NOT NULL,
    reason             text,
    peer               text                  NOT NULL, -- truncated address and fingerprint of the user agent, or a word for the program itself
    request            text                  NOT NULL,
    provider_request   text,                           -- the provider's id of the request that brought the end, for its support
    PRIMARY KEY (webview_session_id, ordinal, at)
) PARTITION BY RANGE (webview_session_id);

-- What the program writes of a row: all but the time. A view, because rights on columns are looked up one by one for every row.
CREATE VIEW webview_session_trail AS
SELECT e.webview_session_id, e.ordinal, e.to_state, e.op, e.outcome, e.reason, e.peer, e.request, e.provider_request
FROM webview_session_event AS e;

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
    reason             text,                               -- gone, amount, time; NULL while it is under way
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

-- What long work has passed over, because the database refuses a change of it: it is tried again at next_at, and holds up no other.
-- A handful of rows; one goes when the change has gone through.
CREATE TABLE skipped_row (
    work               text        NOT NULL, -- sweep or revoke
    webview_session_id uuid        NOT NULL,
    since              timestamptz NOT NULL DEFAULT statement_timestamp(),
    next_at            timestamptz NOT NULL,
    times              integer     NOT NULL DEFAULT 1,
    sql_state          text        NOT NULL, -- the refusal of the last time
    PRIMARY KEY (work, webview_session_id)
);

-- A webview session has a new version after each transition, in the same page as long as there is room: with 45 % filled, a page holds one
-- more version of every row before anything has to be pruned. The trail never changes, sealed data hardly. An insert of sealed data needs
-- a partition every day: ten days are time to notice that none are made any more.
INSERT INTO partitioned_table VALUES
    ('webview_session', 'month', interval '20 days', 30, 45),
    ('webview_session_event', 'month', interval '20 days', 90, 100),
    ('webview_session_private', 'day', interval '10 days', 1, 80);

-- All columns, because rights on columns are looked up one by one, and opening a link changes seven.
GRANT SELECT, INSERT, UPDATE ON webview_session TO sallyport_service;
GRANT SELECT ON webview_session_event TO sallyport_service;
GRANT INSERT ON webview_session_trail TO sallyport_service;
GRANT SELECT, INSERT ON webview_session_private, webview_session_sweep, program_policy TO sallyport_service;
GRANT UPDATE (sealed) ON webview_session_private TO sallyport_service;
GRANT UPDATE (ended_before) ON webview_session_sweep TO sallyport_service;
GRANT UPDATE (words, since) ON program_policy TO sallyport_service;
GRANT SELECT, INSERT, DELETE ON webview_session_purchase, skipped_row TO sallyport_service;
GRANT UPDATE (since, next_at, stuck_at, recoveries, woken, failures, reason, missing_since) ON webview_session_purchase TO sallyport_service;
GRANT UPDATE (next_at, times, sql_state) ON skipped_row TO sallyport_service;

-- A stub: functions/ has its text, and is applied right behind.
CREATE FUNCTION purchase_announce_stuck() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

CREATE TRIGGER webview_session_purchase_stuck AFTER UPDATE OF stuck_at ON webview_session_purchase
FOR EACH ROW WHEN (OLD.stuck_at IS NULL AND NEW.stuck_at IS NOT NULL) EXECUTE FUNCTION purchase_announce_stuck();

CREATE TYPE order_state AS ENUM (
    'created', 'at_provider', 'in_review', 'paying', 'paid', 'payment_pending', 'declined', 'canceled', 'expired',
    'captured', 'part_refunded', 'refunded', 'closed'
);

CREATE TYPE object_kind AS ENUM ('session', 'permission', 'charge', 'refund');

-- One row per order: made with the webview session where a merchant opens it, else when the buyer agrees to the total.
-- Until an order is paid or has ended it stays in state `created`, and its webview session says how far it has come (order_status).
CREATE TABLE merchant_order (
    webview_session_id uuid                   NOT NULL PRIMARY KEY,
    key_id             uuid,                            -- the key that opened it; NULL for the program's own shop
    created_at         timestamptz            NOT NULL,
    updated_at         timestamptz            NOT NULL,
    subtotal           bigint                 NOT NULL, -- minor units of `currency`, as all sums
    tax                bigint                 NOT NULL,
    postage            bigint,
    total              bigint,
    captured           bigint                 NOT NULL DEFAULT 0,
    refunded           bigint                 NOT NULL DEFAULT 0,
    events             bigint                 NOT NULL DEFAULT 0, -- sequence of the newest event
    state              order_state            NOT NULL,
    client             webview_session_client NOT NULL,
    currency           text                   NOT NULL,
    reference          text                   NOT NULL, -- the merchant's name for it; never changes
    account            text                   NOT NULL, -- at the provider
    environment        text                   NOT NULL, -- sandbox or live
    checkout_session   text,
    charge_permission  text,
    lines              json                   NOT NULL, -- [{"id","name","unitPrice","quantity","sum"}], sums in minor units
    metadata           json,
    note               text,
    -- [{"name","amount"}], minor units, below zero is taken off; NULL for none. The subtotal, the tax and these are what the buyer pays
    -- without postage, which is webview session.tax_included.
    adjustments        json,
    -- {"10","8","0","postage"}: what is paid at each rate in minor units, tax included, but for the postage; and the rate of the postage.
    -- NULL where the prices exclude tax: `tax` then comes on top of `subtotal`, and is 0 otherwise.
    taxes              json,
    declined_at        timestamptz,                     -- of the last payment that was declined: when,
    decline_reason     text                             -- and why, in the provider's word
) PARTITION BY RANGE (webview_session_id);

-- Neither column ever changes, so updates stay heap-only.
CREATE INDEX merchant_order_reference ON merchant_order (reference, webview_session_id);

-- The number that the buyer sees is made of the last bits of the id. One look in each month, whatever the number of orders.
CREATE INDEX merchant_order_number ON merchant_order (substring(uuid_send(webview_session_id) FROM 11));

-- Changes when the buyer agrees, or comes back from the provider, and hardly ever after that: all later updates stay heap-only.
CREATE INDEX merchant_order_checkout_session ON merchant_order (checkout_session) WHERE checkout_session IS NOT NULL;

-- What the provider holds, and the way from its ids to webview sessions. Not partitioned, because it is found by those ids: its rows are
-- deleted, with the month of their order.
CREATE TABLE payment_object (
    webview_session_id uuid        NOT NULL,
    open_operation     uuid,
    created_at         timestamptz NOT NULL,
    observed_at        timestamptz NOT NULL,
    object_updated_at  timestamptz,                    -- by the provider's clock: what is older changes nothing
    amount             bigint      NOT NULL,           -- of a permission its limit
    captured           bigint      NOT NULL DEFAULT 0, -- of a charge
    refunded           bigint      NOT NULL DEFAULT 0, -- of a charge: given back or on its way
    reserved           bigint      NOT NULL DEFAULT 0, -- of a charge: refunds that were begun and not answered
    kind               object_kind NOT NULL,
    final              boolean     NOT NULL,
    object_id          text        NOT NULL PRIMARY KEY,
    parent             text,                           -- of a charge its permission, of a refund its charge
    currency           text        NOT NULL,
    state              text        NOT NULL,           -- the provider's word
    reason             text,
    said_refunded      bigint      NOT NULL DEFAULT 0, -- of a charge: what it was itself said to have given back, by whomever
    captured_at        timestamptz,                    -- of a charge: when its money was captured
    stated_reason      text,                           -- the merchant's reason for it
    metadata           json,                           -- the merchant's own
    -- The order in which payments are listed: that in which they were written down. Whatever writes one has locked its order, so of two
    -- of an order the one that is seen later has the greater number, whichever the provider made first.
    ordinal            bigint      NOT NULL GENERATED ALWAYS AS IDENTITY
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_object_webview_session ON payment_object (webview_session_id);

-- What was asked of the provider, in the octets that are sent, the same at every repeat.
CREATE TABLE payment_operation (
    operation_id       uuid        NOT NULL PRIMARY KEY,
    webview_session_id uuid        NOT NULL,
    attempt_id         uuid        NOT NULL, -- fences the end
    key_id             uuid,                 -- the scope of its claim, as in api_idempotency
    created_at         timestamptz NOT NULL,
    lease_until        timestamptz NOT NULL,
    ended_at           timestamptz,
    amount             bigint,
    attempt            integer     NOT NULL,
    recoveries         integer     NOT NULL DEFAULT 0,
    kind               text        NOT NULL,
    state              text        NOT NULL, -- open, done, pending, refused, released, stuck
    target             text        NOT NULL,
    currency           text        NOT NULL,
    idem               text,                 -- what the caller marked its request with
    idem_key           text        NOT NULL, -- what the provider is sent
    object_id          text,
    reason             text,
    body               bytea       NOT NULL,
    fingerprint        bytea,                -- what the request was, by its claim: so that the end can bring a claim back
    asked_by           uuid,                 -- the API key of the request
    provider_request   text,                 -- the provider's id of the request that brought the end, for its support
    stated_reason      text,                 -- the merchant's reason and metadata for the object that comes of it
    metadata           json
) PARTITION BY RANGE (operation_id);

-- The operations that have not ended, by what they are done to: at most one each. A stuck one stays until a person ends it.
CREATE TABLE payment_operation_open (
    operation_id uuid        NOT NULL,
    target       text        NOT NULL PRIMARY KEY,
    next_at      timestamptz NOT NULL DEFAULT statement_timestamp(), -- no recovery before; the lease must be over too
    failures     integer     NOT NULL DEFAULT 0 -- take-overs in a row that the database refused
);

-- The objects that are asked about again; a row goes when there is nothing to expect any more.
CREATE TABLE payment_poll (
    object_id          text        NOT NULL PRIMARY KEY,
    kind               object_kind NOT NULL,
    webview_session_id uuid        NOT NULL,
    since              timestamptz NOT NULL,          -- when the object came into its state, as far as was seen
    next_at            timestamptz NOT NULL,
    lease_until        timestamptz,
    attempt_id         uuid,                          -- fences whoever asks
    polls              integer     NOT NULL,          -- readings of the schedule in this state
    failures           integer     NOT NULL,          -- readings in a row that brought no answer
    notified           boolean     NOT NULL,          -- a message came since the last reading began
    missing_since      timestamptz,                   -- since when the provider has said that there is no such thing; one 404 proves nothing
    namings            integer,                       -- of a permission without the names of its order: how often they were sent
    expiry_notices     smallint    NOT NULL DEFAULT 0 -- of an authorised charge: how many of its limits were announced
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_poll_due ON payment_poll (next_at);

-- Every message of the provider that was believed, for 30 days; rows are deleted in batches. A message says that something changed,
-- never what, so all it does is to bring a reading forward.
CREATE TABLE notification (
    message_id         text        NOT NULL PRIMARY KEY, -- the same at every delivery
    received_at        timestamptz NOT NULL,
    webview_session_id uuid,                             -- NULL where no order has the object
    deliveries         integer     NOT NULL DEFAULT 1,
    kind               text        NOT NULL,             -- the sender's word, for example CHARGE
    object_id          text        NOT NULL,
    outcome            text        NOT NULL,             -- taken, unknown; unpaid or refunded where the order of a charge is unpaid
    -- Whether the permission behind it was looked up, to find a purchase that waits; each message causes one such question at most.
    asked              boolean     NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX notification_age ON notification (received_at);

-- Messages that came before what they are about was written down; a handful.
CREATE INDEX notification_unknown ON notification (object_id) WHERE outcome = 'unknown';

-- Messages about charges that no order has: those that were not followed yet, and those whose order is unpaid.
CREATE INDEX notification_unasked ON notification (received_at) WHERE outcome = 'unknown' AND NOT asked AND kind IN ('CHARGE', 'CHARGE_PERMISSION');
CREATE INDEX notification_unknown_permission ON notification (left(object_id, 19)) WHERE outcome = 'unknown';
CREATE INDEX notification_unpaid ON notification (left(object_id, 19)) WHERE outcome = 'unpaid';

-- Rows of orders and operations change a few times in their page.
INSERT INTO partitioned_table VALUES
    ('merchant_order', 'month', interval '20 days', 180, 70), ('payment_operation', 'month', interval '20 days', 180, 70);

-- What a row is and whose it is stays as it was written. Above all the ids: they begin with a time, so whoever may change them moves a
-- row among those that are past retention. Rows of orders and of the ledger go with their month, through partition_drop_expired and
-- ledger_prune, and nothing else.
GRANT SELECT, INSERT ON merchant_order, payment_object, payment_operation TO sallyport_service;
GRANT UPDATE (
    updated_at, postage, total, captured, refunded, events, state, checkout_session, charge_permission, decline_reason, declined_at
) ON merchant_order TO sallyport_service;
GRANT UPDATE (
    open_operation, observed_at, object_updated_at, amount, captured, refunded, said_refunded, reserved, final, parent, state, reason,
    captured_at, stated_reason, metadata
) ON payment_object TO sallyport_service;
GRANT UPDATE (
    attempt_id, lease_until, ended_at, recoveries, state, reason, object_id, provider_request, stated_reason, metadata
) ON payment_operation TO sallyport_service;
GRANT SELECT, INSERT, DELETE ON payment_operation_open, payment_poll, notification TO sallyport_service;
GRANT UPDATE (next_at, failures) ON payment_operation_open TO sallyport_service;
GRANT UPDATE (
    since, next_at, lease_until, attempt_id, polls, failures, notified, missing_since, expiry_notices, namings
) ON payment_poll TO sallyport_service;
GRANT UPDATE (webview_session_id, deliveries, outcome, asked) ON notification TO sallyport_service;
