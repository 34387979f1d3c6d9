-- version: 1

-- Takes the reading of an environment's notifications for one process: so many seconds behind the last one that came to its end, and not
-- while another one may be at it. is_due says whether it is ours, read_until where to begin; NULL for the first time.
CREATE OR REPLACE FUNCTION app_store_history_begin(realm text, pause bigint, OUT is_due boolean, OUT read_until timestamptz)
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO app_store_history AS h (tried_at, environment) VALUES (statement_timestamp(), realm)
    ON CONFLICT (environment) DO UPDATE SET tried_at = excluded.tried_at
        WHERE h.tried_at <= statement_timestamp() - least(pause, 600) * interval '1 second'
            AND coalesce(h.read_until <= statement_timestamp() - pause * interval '1 second', true)
    RETURNING h.read_until INTO read_until;
    is_due := FOUND;
END $$;
