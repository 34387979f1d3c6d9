-- The words of docs/decisions/0097 in what is stored: a session that was given up is `canceled`, as a charge is, and a ticket of another
-- session is a `session_mismatch`.
-- Stop all processes before: none works with both. Locks: none that anybody waits for then. Time: that of one look at all rows of
-- webview_session and of its trail, a second or two for each million.

ALTER TYPE webview_session_state RENAME VALUE 'cancelled' TO 'canceled';
ALTER TYPE order_state RENAME VALUE 'cancelled' TO 'canceled';

UPDATE webview_session SET outcome = CASE outcome WHEN 'cancelled' THEN 'canceled' ELSE 'session_mismatch' END
WHERE outcome IN ('cancelled', 'flow_mismatch');
UPDATE webview_session_event SET outcome = CASE outcome WHEN 'cancelled' THEN 'canceled' ELSE 'session_mismatch' END
WHERE outcome IN ('cancelled', 'flow_mismatch');
