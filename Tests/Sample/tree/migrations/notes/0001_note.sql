-- Notes that merchants leave for buyers.
CREATE TABLE shop_note (
    note_id uuid        NOT NULL PRIMARY KEY,
    board   uuid        NOT NULL, -- what it is stuck to, of whatever age; a person's account perhaps
    text    text        NOT NULL,
    reply   bytea                 -- sealed under the keyring
) PARTITION BY RANGE (note_id);

CREATE INDEX shop_note_board ON shop_note (board);

INSERT INTO partitioned_table VALUES ('shop_note', 'month', interval '20 days', 30, 90);

GRANT SELECT, INSERT, UPDATE ON shop_note TO sallyport_service;

-- How many notes a board has, and the last one that was counted: an event that comes again is not counted twice.
CREATE TABLE note_count (
    board uuid   NOT NULL PRIMARY KEY,
    last  bigint NOT NULL,
    notes bigint NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON note_count TO sallyport_service;
