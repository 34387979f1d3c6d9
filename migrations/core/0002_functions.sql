-- The program in service compares the versions of functions with its own files.
-- Locks: none that anybody waits for. Time: milliseconds. The program of before works on: it does not know the table.

GRANT SELECT ON feature_function TO sallyport_service;
