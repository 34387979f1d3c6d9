-- version: 1

-- The newest session of a merchant's reference that is paid or that a buyer can still pay, or NULL.
CREATE OR REPLACE FUNCTION reference_holder(wanted text, at_account text, at_environment text) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT o.webview_session_id FROM merchant_order AS o
    LEFT JOIN LATERAL (
        SELECT f.state, is_waiting(f.state) AS waits,
            is_waiting(f.state) AND statement_timestamp() >= least(f.idle_until, f.absolute_until) AS is_over
        FROM webview_session AS f WHERE f.webview_session_id = o.webview_session_id OFFSET 0) AS f ON true
    WHERE o.reference = wanted AND o.account = at_account AND o.environment = at_environment
        AND CASE order_status(o.state, f.state, f.is_over)
            WHEN 'canceled' THEN false
            WHEN 'expired'   THEN false
            WHEN 'closed'    THEN false
            -- The buyer may choose another card until the session ends.
            WHEN 'declined'  THEN coalesce(f.waits AND NOT f.is_over, false)
            ELSE true
        END
    ORDER BY o.webview_session_id DESC LIMIT 1
$$;
