-- Notifications that another server of the merchant gets, too, as Apple has sent them; gone when it has taken them.
CREATE TABLE app_store_forward (
    created_at      timestamptz NOT NULL,
    due_at          timestamptz NOT NULL, -- when it is sent next; a process that sends it puts that off for as long as it may take
    attempts        integer     NOT NULL,
    notification_id text        NOT NULL PRIMARY KEY REFERENCES app_store_notification ON DELETE CASCADE,
    body            text        NOT NULL  -- the very content of Apple's request
) WITH (fillfactor = 80);

CREATE INDEX app_store_forward_due ON app_store_forward (due_at);
CREATE INDEX app_store_forward_age ON app_store_forward (created_at);

GRANT SELECT, INSERT, DELETE ON app_store_forward TO sallyport_service;
GRANT UPDATE (due_at, attempts) ON app_store_forward TO sallyport_service;
