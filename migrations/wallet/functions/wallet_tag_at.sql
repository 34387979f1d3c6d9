-- version: 1

-- The tag of a transaction by its number. The timeline of the database stands before the number: a server that takes over from another
-- one may not have its last transactions, and gives their numbers once more, on the next timeline.
CREATE OR REPLACE FUNCTION wallet_tag_at(number bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT t.base + (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint << 40) + number FROM wallet_tag AS t
$$;
