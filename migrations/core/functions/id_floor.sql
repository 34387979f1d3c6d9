-- version: 1

-- The least id, a UUID of version 7, of a point in time: 48 bits of milliseconds, then zeros.
CREATE OR REPLACE FUNCTION id_floor(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
