-- version: 1

-- The partitions of some tables and the times that they hold, by their bounds; without end where a partition takes whatever no other
-- takes.
-- Nothing here can fail for another relation of the database: the children come first (MATERIALIZED is not reordered), and what is
-- no bound of ours is NULL before it is converted.
CREATE OR REPLACE FUNCTION partition_bounds(parents regclass[])
RETURNS TABLE (parent regclass, child name, since timestamptz, until timestamptz)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH children AS MATERIALIZED (
        SELECT i.inhparent, i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = ANY (parents) AND NOT i.inhdetachpending
    ), bounds AS MATERIALIZED (
        SELECT k.inhparent::regclass AS parent, c.relname, pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM children AS k JOIN pg_class AS c ON c.oid = k.inhrelid
    )
    SELECT b.parent, b.relname,
        coalesce(id_moment(substring(b.bound FROM 'FROM \(''([0-9a-f-]{36})''\)')::uuid), '-infinity'),
        coalesce(id_moment(substring(b.bound FROM 'TO \(''([0-9a-f-]{36})''\)')::uuid), 'infinity')
    FROM bounds AS b
$$;
