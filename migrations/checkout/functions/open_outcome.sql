-- version: 1

-- What a launch ticket opens. The hashes are those of the tab cookie and the app cookie, NULL where there is none.
CREATE OR REPLACE FUNCTION open_outcome(f webview_session, tab_hash bytea, app_hash bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN f.state IN ('revoked', 'expired', 'canceled')           THEN 'dead'
        WHEN f.state IN ('purchasing', 'authorized')                  THEN 'finished'
        WHEN t >= least(f.idle_until, f.absolute_until)               THEN 'expired'
        WHEN f.client = 'browser' AND f.app_hash IS NOT NULL
             AND app_hash IS DISTINCT FROM f.app_hash                 THEN 'wrong_browser'
        WHEN f.state = 'issued'
             THEN CASE WHEN t < f.launch_until THEN 'opened' ELSE 'expired' END
        WHEN tab_hash = f.tab_hash                                    THEN 'same_tab'
        WHEN f.state = 'declined'                                     THEN 'finished'
        WHEN f.state = 'opened' AND f.tab_seen_at IS NULL
             AND f.tab_superseded_hash IS NULL AND t < f.launch_until THEN 'reopened'
        ELSE 'reused'
    END
$$;
