-- Replaces before/: recorded without being run where those files have run.
-- Replaces text 89935b429dcccb165bf2bca77dd548d47f7dee2d6140258ba98584073df45abf.
-- Orders as merchants see them, the ledger of what the provider holds and has taken, the operations on it, and what the provider pushes.

CREATE TYPE order_state AS ENUM (
    'created', 'at_provider', 'in_review', 'paying', 'paid', 'payment_pending', 'declined', 'cancelled', 'expired',
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
    adjustments        json
) PARTITION BY RANGE (webview_session_id);

-- Neither column ever changes, so updates stay heap-only.
CREATE INDEX merchant_order_reference ON merchant_order (reference, webview_session_id);

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
    said_refunded      bigint      NOT NULL DEFAULT 0  -- of a charge: what it was itself said to have given back, by whomever
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_object_webview_session ON payment_object (webview_session_id);

-- What was asked of the provider, in the octets that are sent, the same at every repeat.
CREATE TABLE payment_operation (
    operation_id       uuid        NOT NULL PRIMARY KEY,
    webview_session_id uuid        NOT NULL,
    attempt_id         uuid        NOT NULL, -- fences the end
    key_id             uuid,
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
    provider_request   text                  -- the provider's id of the request that brought the end, for its support
) PARTITION BY RANGE (operation_id);

COMMENT ON COLUMN payment_operation.key_id IS 'the scope of its claim, as in api_idempotency';

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

-- What a row is and whose it is stays as it was written. Above all the ids: they begin with a time, so whoever may change them moves a
-- row among those that are past retention. Rows of orders and of the ledger go with their month, through merchant_drop_expired and
-- nothing else.
GRANT SELECT, INSERT ON merchant_order, payment_object, payment_operation TO sallyport_service;
GRANT UPDATE (
    updated_at, postage, total, captured, refunded, events, state, checkout_session, charge_permission
) ON merchant_order TO sallyport_service;
GRANT UPDATE (
    open_operation, observed_at, object_updated_at, amount, captured, refunded, said_refunded, reserved, final, parent, state, reason
) ON payment_object TO sallyport_service;
GRANT UPDATE (
    attempt_id, lease_until, ended_at, recoveries, state, reason, object_id, provider_request
) ON payment_operation TO sallyport_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON payment_operation_open, payment_poll, notification TO sallyport_service;
