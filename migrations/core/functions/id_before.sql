-- version: 1

-- A lower bound of all ids that are made after an id of version 7: a day before it, because clocks of machines differ. For any other id
-- it is the least there is. A condition on the partition key with this bound leaves out the partitions before it.
CREATE OR REPLACE FUNCTION id_before(id uuid) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN substr(id::text, 15, 1) = '7' THEN id_floor(greatest('epoch', id_moment(id) - interval '1 day'))
        ELSE '00000000-0000-0000-0000-000000000000' END
$$;
