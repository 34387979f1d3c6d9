-- The rules under which the programs of this database work, so that one with others is refused at its start.
-- Locks: creates new objects only. Time: milliseconds. The program of before works on: it neither reads nor writes them.

-- One row, from the first start behind this migration on.
CREATE TABLE program_policy (
    is_only boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (is_only),
    words   text        NOT NULL, -- name=value, as the settings name them
    since   timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON program_policy TO sallyport_service;
