-- version: 1

-- A time, as the interface for the shop's programs writes it.
CREATE OR REPLACE FUNCTION wallet_time(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;
