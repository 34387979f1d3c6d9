-- version: 1

-- What becomes of the buyer's consent. c is the hash of the return ticket, want the total the page showed or NULL, seen the mark of
-- whatever else it showed or NULL, meeting whether an app client must have been back at the app before.
CREATE OR REPLACE FUNCTION place_outcome(
    f webview_session, b bytea, c bytea, want bigint, seen bytea, meeting boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_outcome(f, b, t) <> 'live'                              THEN tab_outcome(f, b, t)
        WHEN f.state = 'opened'                                          THEN 'not_reviewed'
        WHEN f.return_hash IS DISTINCT FROM c                                 THEN 'flow_mismatch'
        WHEN f.state = 'declined'                                        THEN 'declined'
        WHEN want <> f.total                                             THEN 'price_changed'
        WHEN seen <> f.shown                                             THEN 'price_changed'
        WHEN meeting AND f.client <> 'browser' AND f.both_presented_at IS NULL      THEN 'not_met'
        ELSE 'placed'
    END
$$;

-- The same without that mark, for a program of before.
CREATE OR REPLACE FUNCTION place_outcome(f webview_session, b bytea, c bytea, want bigint, meeting boolean, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_outcome(f, b, t) <> 'live'                              THEN tab_outcome(f, b, t)
        WHEN f.state = 'opened'                                          THEN 'not_reviewed'
        WHEN f.return_hash IS DISTINCT FROM c                                 THEN 'flow_mismatch'
        WHEN f.state = 'declined'                                        THEN 'declined'
        WHEN want <> f.total                                             THEN 'price_changed'
        WHEN meeting AND f.client <> 'browser' AND f.both_presented_at IS NULL      THEN 'not_met'
        ELSE 'placed'
    END
$$;
