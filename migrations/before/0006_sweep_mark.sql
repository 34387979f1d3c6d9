-- How far the sweep has come, so that a program that starts does not look at every flow that is kept.
-- Locks: creates a table only; the program of before does not know it and works on. Time: milliseconds.

-- One row, or none before the first sweep. No CHECK and no trigger: the program writes it once an hour.
CREATE TABLE flow_sweep (
    only_row     boolean NOT NULL PRIMARY KEY DEFAULT true,
    ended_before uuid    NOT NULL -- every flow with a lesser id has come to its end
);

GRANT SELECT, INSERT, UPDATE ON flow_sweep TO sallyport_service;
