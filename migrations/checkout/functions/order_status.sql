-- version: 1

-- The status of an order: its own state once it is paid or has ended, before that what its webview session says. `over` is whether the
-- webview session's deadline has passed; a webview session that is not kept any more has ended.
CREATE OR REPLACE FUNCTION order_status(o order_state, f webview_session_state, over boolean) RETURNS order_state
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN o = 'declined' AND f NOT IN ('reviewed', 'placed', 'purchasing') THEN o
        WHEN o NOT IN ('created', 'declined')                                 THEN o
        WHEN f IS NULL                                                        THEN 'expired'
        WHEN f = 'purchasing'                                                 THEN 'paying'
        WHEN f = 'authorized'                                                 THEN 'paid'
        WHEN f IN ('revoked', 'canceled')                                    THEN 'canceled'
        WHEN f = 'expired' OR over                                            THEN 'expired'
        WHEN f = 'issued'                                                     THEN 'created'
        WHEN f = 'opened'                                                     THEN 'at_provider'
        WHEN f = 'declined'                                                   THEN 'declined'
        ELSE 'in_review'
    END::order_state
$$;
