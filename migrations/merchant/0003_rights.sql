-- The program's role changes the columns that its statements change, and no other.
-- The program of before works on. Locks: none that anybody waits for. Time: milliseconds.

REVOKE UPDATE ON reconciliation_run FROM sallyport_service;
GRANT UPDATE (
    started_at, ended_at, compared, differences, since_at, until_at, attempt_id, reached, orders, repairs, sample
) ON reconciliation_run TO sallyport_service;
