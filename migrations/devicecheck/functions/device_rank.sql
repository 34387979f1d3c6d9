-- version: 1

-- The place of a state in the order in which automatic changes go up; 0 without one.
CREATE OR REPLACE FUNCTION device_rank(state text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_position(ARRAY['known', 'trial-used', 'paid', 'blocked'], state), 0)
$$;
