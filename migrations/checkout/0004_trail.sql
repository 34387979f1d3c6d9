-- A row that somebody has put into a trail by hand does not keep out the one that a step of its session writes under the same number:
-- the time is part of the key, and the program's role cannot choose it. So nobody writes a row for a time to come or one that is past.
-- Stop all processes before: those of before write the time themselves, for which they have no right any more. Locks: both tables and
-- their partitions, to the end. Time: that of an index on all rows of the trail, some seconds for each million.

ALTER TABLE webview_session_event DROP CONSTRAINT webview_session_event_pkey;
ALTER TABLE webview_session_event ADD PRIMARY KEY (webview_session_id, ordinal, at);
ALTER TABLE webview_session_event ALTER COLUMN at SET DEFAULT statement_timestamp();

-- What the program writes of a row: all but the time. A view, because rights on columns are looked up one by one for every row (0089).
CREATE VIEW webview_session_trail AS
SELECT e.webview_session_id, e.ordinal, e.to_state, e.op, e.outcome, e.reason, e.peer, e.request, e.provider_request
FROM webview_session_event AS e;

REVOKE INSERT ON webview_session_event FROM sallyport_service;
GRANT INSERT ON webview_session_trail TO sallyport_service;

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

GRANT SELECT, INSERT, UPDATE, DELETE ON skipped_row TO sallyport_service;
