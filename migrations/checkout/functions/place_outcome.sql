-- version: 1

-- What becomes of the buyer's consent. want is the total the page showed or NULL, seen the mark of whatever else it showed or
-- NULL, needs_both whether an app client must have presented both secrets before.
CREATE OR REPLACE FUNCTION place_outcome(
    f webview_session, tab_hash bytea, return_hash bytea, want bigint, seen bytea, needs_both boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_outcome(f, tab_hash, t) <> 'live'                                THEN tab_outcome(f, tab_hash, t)
        WHEN f.state = 'opened'                                                   THEN 'not_reviewed'
        WHEN f.return_hash IS DISTINCT FROM return_hash                           THEN 'session_mismatch'
        WHEN f.state = 'declined'                                                 THEN 'declined'
        -- The address that is chosen has no price: nobody can agree to it, whatever a page showed before.
        WHEN f.total IS NULL                                                      THEN 'not_reviewed'
        WHEN want <> f.total                                                      THEN 'price_changed'
        WHEN seen <> f.shown                                                      THEN 'price_changed'
        WHEN needs_both AND f.client <> 'browser' AND f.both_presented_at IS NULL THEN 'not_met'
        ELSE 'placed'
    END
$$;
