-- The program's role changes the columns that its statements change, and no other: where an endpoint is and what it gets stays as an operator
-- has written it.
-- The program of before works on. Locks: none that anybody waits for. Time: milliseconds.

REVOKE UPDATE ON webhook_endpoint, webhook_delivery_queue FROM sallyport_service;
GRANT UPDATE (removed_at, previous_until, key_id, secret, previous_key_id, previous_secret) ON webhook_endpoint TO sallyport_service;
GRANT UPDATE (
    attempt_id, head, tail, next_at, since, dead_at, failures, last_status, last_error
) ON webhook_delivery_queue TO sallyport_service;
