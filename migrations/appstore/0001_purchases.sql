-- Purchases of the App Store, what was granted for them, and what accounts have left of it.

-- A person as the App Store meets them: the token that the app passes with a purchase, so that the purchase names its account.
CREATE TABLE app_store_customer (
    account_id        uuid        NOT NULL PRIMARY KEY REFERENCES account,
    created_at        timestamptz NOT NULL,
    consented_at      timestamptz,                -- when the customer agreed that Apple is told what was used; NULL without
    app_account_token uuid        NOT NULL UNIQUE -- random, unless the merchant has given its own
);

GRANT SELECT, INSERT, DELETE ON app_store_customer TO sallyport_service;
GRANT UPDATE (app_account_token, consented_at) ON app_store_customer TO sallyport_service;

-- What an account has in an environment; sandbox and production never meet. It stays when the account is erased, as nobody's: its
-- entries are never changed, and its purchases are nobody else's.
CREATE TABLE app_store_ledger (
    ledger_id   uuid   NOT NULL PRIMARY KEY,
    account_id  uuid,            -- NULL once the account is erased
    units       bigint NOT NULL, -- the sum of its entries; below zero where units were spent that were refunded behind it
    entries     bigint NOT NULL, -- how many there are
    environment text   NOT NULL,
    UNIQUE (account_id, environment)
) WITH (fillfactor = 70);

GRANT SELECT, INSERT ON app_store_ledger TO sallyport_service;
GRANT UPDATE (account_id, units, entries) ON app_store_ledger TO sallyport_service;

-- An entry of a ledger; append-only.
CREATE TABLE app_store_entry (
    ledger_id   uuid        NOT NULL REFERENCES app_store_ledger,
    sequence    bigint      NOT NULL, -- its place in the ledger, from 1 on
    at          timestamptz NOT NULL,
    units       bigint      NOT NULL CHECK (units <> 0),
    balance     bigint      NOT NULL, -- the sum up to here
    purchase_id uuid,
    kind        text        NOT NULL CHECK (kind IN ('purchase', 'refund', 'reversal', 'spend', 'correction')),
    reference   text,                 -- what the merchant calls it; gone once the account is erased
    PRIMARY KEY (ledger_id, sequence)
);

GRANT SELECT, INSERT ON app_store_entry TO sallyport_service;
GRANT UPDATE (reference) ON app_store_entry TO sallyport_service;

-- A purchase, as the newest signed text of it says. A ledger is its owner from when the first account has shown it, or its token has named
-- one, for good.
CREATE TABLE app_store_purchase (
    purchase_id         uuid        NOT NULL PRIMARY KEY,
    ledger_id           uuid        REFERENCES app_store_ledger,
    app_account_token   uuid,
    signed_at           timestamptz NOT NULL, -- of the newest text: what an older one says changes nothing
    purchased_at        timestamptz,
    expires_at          timestamptz,          -- of a subscription
    revoked_at          timestamptz,          -- refunded, or taken out of a family
    granted_at          timestamptz,          -- when it was granted, once; NULL while it is not
    price               bigint,               -- thousandths of the currency's unit
    granted             bigint      NOT NULL, -- units
    taken               bigint      NOT NULL CHECK (taken BETWEEN 0 AND granted), -- of them for a refund
    quantity            integer     NOT NULL,
    revoked_thousandths integer,              -- thousandths of a percent, of a prorated refund
    environment         text        NOT NULL,
    bundle_id           text        NOT NULL,
    transaction_id      text        NOT NULL,
    original_id         text        NOT NULL,
    product_id          text        NOT NULL,
    type                text        NOT NULL,
    ownership           text        NOT NULL,
    revocation_type     text,
    currency            text,
    storefront          text,
    UNIQUE (environment, bundle_id, transaction_id)
) WITH (fillfactor = 80);

-- The purchases of an account, the newest last.
CREATE INDEX app_store_purchase_ledger ON app_store_purchase (ledger_id, purchase_id);

GRANT SELECT, INSERT ON app_store_purchase TO sallyport_service;
GRANT UPDATE (
    ledger_id, app_account_token, signed_at, expires_at, revoked_at, granted_at, granted, taken, revoked_thousandths, ownership,
    revocation_type
) ON app_store_purchase TO sallyport_service;
