-- version: 1

-- A new id, a UUID of version 7, of this very moment: not of the statement's beginning, since it may have waited for a lock since then.
CREATE OR REPLACE FUNCTION id_new() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    -- The version of a random UUID is 4, or 0100: two bits make it 7.
    SELECT encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
