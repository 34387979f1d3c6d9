-- Features have migrations of their own; the program in service looks at their records.
-- Locks: none that anybody waits for. Time: milliseconds. The program of before works on: it does not know the table.

GRANT SELECT ON feature_migration TO sallyport_service;
