-- version: 1

-- What a receipt request is answered: the proofs first, so that an untrusted client learns nothing.
CREATE OR REPLACE FUNCTION receipt_outcome(f webview_session, app_hash bytea, tab_hash bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN (f.client = 'browser' AND tab_hash IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND app_hash IS NULL) THEN 'proof_required'
        WHEN (f.client = 'browser' AND tab_hash IS DISTINCT FROM f.tab_hash)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL
              AND app_hash IS DISTINCT FROM f.app_hash)                              THEN 'proof_mismatch'
        WHEN f.state IN ('revoked', 'expired', 'canceled')                          THEN 'dead'
        WHEN f.state <> 'authorized'                                                 THEN 'not_ready'
        WHEN t >= f.receipt_until                                                    THEN 'over'
        ELSE 'shown'
    END
$$;
