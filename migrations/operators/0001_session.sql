-- Sessions of the shop's staff on the administration listener. A row is found by the hash of the token in the cookie; whether the person may
-- still sign in is known from the file of the keys alone.
CREATE TABLE operator_session (
    session_hash bytea       NOT NULL PRIMARY KEY, -- SHA-256 of the token
    session_id   uuid        NOT NULL UNIQUE,      -- names it on pages; opens nothing
    name         text        NOT NULL,
    key_hash     bytea       NOT NULL,             -- of the key that opened it: a person with another key has to sign in again
    network      text        NOT NULL,             -- where it was opened from, /24 or /48
    opened_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
    seen_at      timestamptz NOT NULL DEFAULT statement_timestamp(),
    notice       text                              -- what the last change came to, until a page has shown it
) WITH (fillfactor = 70);

CREATE INDEX operator_session_name ON operator_session (name);

-- For the record of one person's decisions, newest first.
CREATE INDEX operator_event_person ON operator_event (operator, event_id);

GRANT SELECT, INSERT, DELETE ON operator_session TO sallyport_service;
GRANT UPDATE (seen_at, notice) ON operator_session TO sallyport_service;
