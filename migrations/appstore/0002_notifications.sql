-- What the App Store has told the server: kept before it is acknowledged, with the signed text, so that it can be judged again.
CREATE TABLE app_store_notification (
    received_at     timestamptz NOT NULL,
    signed_at       timestamptz NOT NULL,
    notification_id text        NOT NULL PRIMARY KEY, -- the App Store's, the same at every delivery
    environment     text        NOT NULL,
    type            text        NOT NULL,
    subtype         text,
    transaction_id  text,                 -- of the purchase inside, where its own signature is good
    outcome         text        NOT NULL, -- what became of the purchase; none where there is none, refused where its signature is not good
    payload         text        NOT NULL
);

CREATE INDEX app_store_notification_age ON app_store_notification (received_at);
CREATE INDEX app_store_notification_transaction ON app_store_notification (transaction_id);

GRANT SELECT, INSERT, DELETE ON app_store_notification TO sallyport_service;
GRANT UPDATE (outcome) ON app_store_notification TO sallyport_service;

-- Up to when each environment's notifications were asked for that have not reached the server.
CREATE TABLE app_store_history (
    tried_at    timestamptz NOT NULL,             -- when it was last begun: others leave it alone for a while
    read_until  timestamptz,                      -- NULL before the first time
    environment text        NOT NULL PRIMARY KEY
);

GRANT SELECT, INSERT ON app_store_history TO sallyport_service;
GRANT UPDATE (tried_at, read_until) ON app_store_history TO sallyport_service;
