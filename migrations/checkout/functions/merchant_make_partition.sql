-- version: 1

-- Makes one partition of months, as partition_make does; rows of orders and operations change a few times in their page.
CREATE OR REPLACE FUNCTION merchant_make_partition(parent text, since timestamptz, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    child text := parent || '_' || to_char(since AT TIME ZONE 'UTC', 'YYYYMM');
BEGIN
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
         WITH (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2)',
        child, parent, CASE parent WHEN 'merchant_event' THEN 100 ELSE 70 END);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, id_floor(since), id_floor(until));
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION merchant_make_partition FROM PUBLIC;
