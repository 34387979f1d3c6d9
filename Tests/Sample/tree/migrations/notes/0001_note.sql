-- Notes that merchants leave for buyers.
CREATE TABLE note (
    note_id uuid        NOT NULL PRIMARY KEY,
    board   text        NOT NULL,
    text    text        NOT NULL,
    reply   text,
    at      timestamptz NOT NULL
);

CREATE INDEX note_age ON note (at);

GRANT SELECT, INSERT, UPDATE, DELETE ON note TO sallyport_service;
