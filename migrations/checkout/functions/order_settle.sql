-- version: 1

-- Brings sums and state of an order in line with its ledger. The order must be locked.
CREATE OR REPLACE FUNCTION order_settle(webview_session uuid) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    sums record;
    newest record;
    permission text;
BEGIN
    SELECT coalesce(sum(c.captured), 0)::bigint AS captured, coalesce(sum(c.refunded), 0)::bigint AS refunded,
        bool_or(c.state IN ('Authorized', 'CaptureInitiated')) AS held,
        bool_or(c.state = 'AuthorizationInitiated') AS pending
    INTO sums FROM payment_object AS c WHERE c.webview_session_id = webview_session AND c.kind = 'charge';
    SELECT c.state, c.reason, coalesce(c.object_updated_at, c.observed_at) AS at INTO newest FROM payment_object AS c
    WHERE c.webview_session_id = webview_session AND c.kind = 'charge' ORDER BY c.created_at DESC, c.object_id DESC LIMIT 1;
    SELECT p.state INTO permission FROM payment_object AS p
    WHERE p.webview_session_id = webview_session AND p.kind = 'permission' ORDER BY p.created_at DESC LIMIT 1;
    UPDATE merchant_order AS o SET
        captured = sums.captured, refunded = sums.refunded, updated_at = statement_timestamp(),
        decline_reason = CASE newest.state WHEN 'Declined' THEN coalesce(newest.reason, 'Declined') ELSE o.decline_reason END,
        declined_at = CASE newest.state WHEN 'Declined' THEN newest.at ELSE o.declined_at END,
        state = CASE
            WHEN sums.captured > 0 AND sums.refunded = 0            THEN 'captured'
            WHEN sums.captured > 0 AND sums.refunded < sums.captured THEN 'part_refunded'
            WHEN sums.captured > 0                                  THEN 'refunded'
            WHEN sums.held                                          THEN 'paid'
            WHEN sums.pending                                       THEN 'payment_pending'
            WHEN permission = 'Closed'                              THEN 'closed'
            WHEN newest.state = 'Declined'                          THEN 'declined'
            WHEN newest.state = 'Canceled' AND newest.reason = 'ExpiredUnused' THEN 'expired'
            WHEN newest.state = 'Canceled'                          THEN 'canceled'
            ELSE o.state::text
        END::order_state
    WHERE o.webview_session_id = webview_session;
END $$;
