-- version: 1

-- The tag of what this transaction changes. A phone keeps the tag that it was given with a list, and is told what has a greater one the
-- next time. Transactions do not commit in the order of their numbers: therefore the list gives no tag at or behind that of one that is
-- still running. So no writer waits for another.
CREATE OR REPLACE FUNCTION wallet_tag_new() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN wallet_tag_at(pg_current_xact_id()::text::bigint);
END $$;
