-- version: 1

-- What a tab token is worth; b is its hash, which is the live one or the orphan's.
CREATE OR REPLACE FUNCTION tab_outcome(f webview_session, b bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN f.state IN ('issued', 'authorized', 'revoked', 'expired', 'cancelled') THEN 'closed'
        WHEN f.state = 'purchasing'
             THEN CASE WHEN b = f.tab_hash THEN 'read_only' ELSE 'closed' END
        WHEN f.tab_hash IS DISTINCT FROM b                                            THEN 'orphan'
        WHEN t >= least(f.idle_until, f.absolute_until)                             THEN 'expired'
        ELSE 'live'
    END
$$;
