-- version: 1

-- What a purchase request is answered: the proofs first, then the state. The hashes are those of the app cookie, the old
-- launch ticket, the tab cookie and the verifier, each NULL where there is none; want is the total the page showed or NULL;
-- bound whether a webview session without any proof of the app is refused.
CREATE OR REPLACE FUNCTION buy_outcome(
    f webview_session, app_hash bytea, challenge bytea, launch_hash bytea, tab_hash bytea, ref text, want bigint, bound boolean,
    t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN (f.client = 'browser' AND tab_hash IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND app_hash IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NULL AND f.challenge IS NULL AND bound)
          OR (f.challenge IS NOT NULL AND challenge IS NULL)                          THEN 'proof_required'
        WHEN (f.client = 'browser' AND tab_hash IS DISTINCT FROM f.tab_hash)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND app_hash IS DISTINCT FROM f.app_hash)
          OR (f.challenge IS NOT NULL AND challenge IS DISTINCT FROM f.challenge)
          OR (launch_hash IS NOT NULL AND launch_hash IS DISTINCT FROM f.launch_hash) THEN 'proof_mismatch'
        WHEN f.state = 'authorized'
             THEN CASE WHEN ref = f.order_ref THEN 'replayed' ELSE 'order_mismatch' END
        WHEN f.state IN ('revoked', 'expired', 'canceled')                           THEN 'dead'
        WHEN f.state <> 'purchasing'
             AND t >= least(f.idle_until, f.absolute_until)                           THEN 'expired'
        WHEN f.total IS NULL                                                          THEN 'not_priced'
        WHEN f.order_ref IS DISTINCT FROM ref                                         THEN 'order_mismatch'
        WHEN want <> f.total                                                          THEN 'price_changed'
        WHEN f.state = 'purchasing'
             THEN CASE WHEN t < f.lease_until THEN 'in_progress' ELSE 'recover' END
        WHEN f.state = 'placed'                                                       THEN 'begin'
        WHEN f.state = 'declined'                                                     THEN 'declined'
        ELSE 'not_ready'
    END
$$;
