-- What Apple wants to know of purchases whose refund a customer has asked for; Apple asks again under another id while the refund is open.
CREATE TABLE app_store_consumption (
    requested_at    timestamptz NOT NULL, -- when Apple signed the request
    due_at          timestamptz NOT NULL, -- when it is worked on next
    ends_at         timestamptz NOT NULL, -- Apple waits no longer
    purchase_id     uuid        NOT NULL REFERENCES app_store_purchase,
    attempts        integer     NOT NULL,
    notification_id text        NOT NULL PRIMARY KEY,
    state           text        NOT NULL CHECK (state IN ('open', 'sent', 'no_consent', 'refused', 'late')),
    reason          text,                 -- the customer's, in Apple's word
    detail          text,                 -- what was sent, or why it was not
    percentage      integer               -- that was sent, in thousandths of a percent
) WITH (fillfactor = 80);

CREATE INDEX app_store_consumption_due ON app_store_consumption (due_at) WHERE state = 'open';
CREATE INDEX app_store_consumption_age ON app_store_consumption (requested_at);
CREATE INDEX app_store_consumption_purchase ON app_store_consumption (purchase_id);

GRANT SELECT, INSERT, DELETE ON app_store_consumption TO sallyport_service;
GRANT UPDATE (due_at, attempts, state, detail, percentage) ON app_store_consumption TO sallyport_service;
