-- version: 1

-- An id that none is less than which was made after another one, a UUID of version 7: clocks of several machines may differ by a day. Of
-- any other id nothing is known, so it is the least there is. Where it is compared with a partition key, earlier partitions are left out.
CREATE OR REPLACE FUNCTION id_before(id uuid) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN substr(id::text, 15, 1) = '7' THEN id_floor(greatest('epoch', id_moment(id) - interval '1 day'))
        ELSE '00000000-0000-0000-0000-000000000000' END
$$;
