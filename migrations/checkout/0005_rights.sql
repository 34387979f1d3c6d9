-- The program's role changes the columns that its statements change, and no other: keys and names of rows stay as they were written.
-- In webview_session it may change all: rights on columns are looked up one by one, and opening a link changes seven (0089).
-- The program of before works on. Locks: none that anybody waits for. Time: milliseconds.

REVOKE UPDATE ON webview_session_private, webview_session_purchase, webview_session_sweep, program_policy, payment_operation_open, payment_poll,
    notification, skipped_row FROM sallyport_service;
GRANT UPDATE (sealed) ON webview_session_private TO sallyport_service;
GRANT UPDATE (since, next_at, stuck_at, recoveries, woken, failures, reason, missing_since) ON webview_session_purchase TO sallyport_service;
GRANT UPDATE (ended_before) ON webview_session_sweep TO sallyport_service;
GRANT UPDATE (words, since) ON program_policy TO sallyport_service;
GRANT UPDATE (next_at, failures) ON payment_operation_open TO sallyport_service;
GRANT UPDATE (
    since, next_at, lease_until, attempt_id, polls, failures, notified, missing_since, expiry_notices
) ON payment_poll TO sallyport_service;
GRANT UPDATE (webview_session_id, deliveries, outcome, asked) ON notification TO sallyport_service;
GRANT UPDATE (next_at, times, sql_state) ON skipped_row TO sallyport_service;
