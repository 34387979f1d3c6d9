-- version: 1

-- Makes one partition that holds the webview session ids of [from, until) unless it is there.
-- A table is made first and attached then: attaching locks the parent SHARE UPDATE EXCLUSIVE only, reads and writes go on.
CREATE OR REPLACE FUNCTION partition_make(parent text, span text, since timestamptz, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    child text := parent || '_' || to_char(since AT TIME ZONE 'UTC', span);
BEGIN
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- A webview session has a new version after each transition, in the same page as long as there is room: with 45 % filled, a page holds
    -- one more version of every row before anything has to be pruned. The trail never changes, sealed data hardly.
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
         WITH (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2)',
        child, parent, CASE parent WHEN 'webview_session' THEN 45 WHEN 'webview_session_private' THEN 80 ELSE 100 END);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, id_floor(since), id_floor(until));
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION partition_make FROM PUBLIC;
