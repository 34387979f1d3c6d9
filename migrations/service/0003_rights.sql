-- The program's role changes the columns that its statements change, and no other.
-- The program of before works on. Locks: none that anybody waits for. Time: milliseconds.

REVOKE UPDATE ON api_idempotency FROM sallyport_service;
GRANT UPDATE (webview_session_id, created_at, lease_until, status, answer) ON api_idempotency TO sallyport_service;
