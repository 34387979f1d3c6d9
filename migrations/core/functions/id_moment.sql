-- version: 1

-- The time that an id, a UUID of version 7, begins with.
CREATE OR REPLACE FUNCTION id_moment(id uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
