-- version: 1

-- Makes one partition that holds the ids of [since, until) unless it is there.
-- A table is made first and attached then: attaching locks the parent SHARE UPDATE EXCLUSIVE only, reads and writes go on.
CREATE OR REPLACE FUNCTION partition_make(parent text, since timestamptz, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    declared partitioned_table;
    child text;
BEGIN
    SELECT * INTO STRICT declared FROM partitioned_table AS t WHERE t.parent = partition_make.parent;
    child := parent || '_' || to_char(since AT TIME ZONE 'UTC', CASE declared.unit WHEN 'day' THEN 'YYYYMMDD' ELSE 'YYYYMM' END);
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
         WITH (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2)',
        child, parent, declared.filled);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, id_floor(since), id_floor(until));
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION partition_make FROM PUBLIC;
