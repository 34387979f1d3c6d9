-- version: 1

-- For how many whole days from now on inserts find a partition, in the table where that ends first, and whether one would fail now.
-- Reads the catalog of the partitions only.
CREATE OR REPLACE FUNCTION partition_days_left(OUT relation text, OUT days integer, OUT is_missing boolean)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH tables AS MATERIALIZED (
        SELECT t.parent::regclass AS parent FROM partitioned_table AS t
    ), ahead AS (
        SELECT s.*, coalesce(max(s.until) OVER (
                PARTITION BY s.parent ORDER BY s.since, s.until ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
            statement_timestamp()) AS reached
        FROM partition_bounds(ARRAY(SELECT t.parent FROM tables AS t)) AS s WHERE s.until > statement_timestamp()
    ), covered AS (
        -- Up to the first gap, or to the end.
        SELECT t.parent, coalesce(min(a.reached) FILTER (WHERE a.since > a.reached), max(a.until), statement_timestamp()) AS until
        FROM tables AS t LEFT JOIN ahead AS a ON a.parent = t.parent GROUP BY t.parent
    )
    SELECT c.parent::text,
        floor(extract(epoch FROM least(c.until, statement_timestamp() + interval '3650 days') - statement_timestamp()) / 86400)::integer,
        c.until <= statement_timestamp()
    FROM covered AS c ORDER BY c.until, c.parent::text LIMIT 1
$$;
