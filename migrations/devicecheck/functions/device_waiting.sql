-- version: 1

-- The marks that wait for the next visits of their accounts, by state, with the age of the oldest in seconds. No more than 10,000 of a state
-- are counted; none is no row.
CREATE OR REPLACE FUNCTION device_waiting() RETURNS TABLE (state text, marks bigint, age bigint)
LANGUAGE sql STABLE AS $$
    SELECT s.state, w.marks, greatest(0, extract(epoch FROM statement_timestamp() - o.since))::bigint
    FROM unnest(ARRAY['known', 'trial-used', 'paid', 'blocked']) AS s (state)
    CROSS JOIN LATERAL (
        SELECT a.queued_at AS since FROM device_account AS a WHERE a.queued = s.state ORDER BY a.queued_at LIMIT 1) AS o
    CROSS JOIN LATERAL (
        SELECT count(*) AS marks FROM (SELECT FROM device_account AS a WHERE a.queued = s.state LIMIT 10000) AS m) AS w
$$;
