-- version: 1

-- What becomes of a provider's session that the buyer came back with.
CREATE OR REPLACE FUNCTION review_outcome(f webview_session, tab_hash bytea, ref text, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_outcome(f, tab_hash, t) <> 'live'      THEN tab_outcome(f, tab_hash, t)
        WHEN f.state = 'placed' AND f.order_ref <> ref  THEN 'order_mismatch'
        WHEN f.state = 'declined' AND f.order_ref = ref THEN 'declined'
        ELSE 'reviewed'
    END
$$;
