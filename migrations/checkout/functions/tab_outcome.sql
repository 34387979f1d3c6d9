-- version: 1

-- What a tab token is worth; its hash is that of the live token or of the superseded one.
CREATE OR REPLACE FUNCTION tab_outcome(f webview_session, tab_hash bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN f.state IN ('issued', 'authorized', 'revoked', 'expired', 'canceled') THEN 'closed'
        WHEN f.state = 'purchasing'
             THEN CASE WHEN tab_hash = f.tab_hash THEN 'read_only' ELSE 'closed' END
        WHEN f.tab_hash IS DISTINCT FROM tab_hash                                   THEN 'orphan'
        WHEN t >= least(f.idle_until, f.absolute_until)                             THEN 'expired'
        ELSE 'live'
    END
$$;
