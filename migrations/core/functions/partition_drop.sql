-- version: 1

-- Drops one partition. That locks its parent ACCESS EXCLUSIVE for a moment. Whoever comes while the lock is waited for queues
-- behind it, so it is waited for shorter than anybody notices: it is granted between two groups of writes, and not while
-- somebody reads for minutes. False when it was not granted: a later run tries again.
CREATE OR REPLACE FUNCTION partition_drop(child name) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '50ms' AS $$
BEGIN
    EXECUTE format('DROP TABLE %I', child);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;

REVOKE EXECUTE ON FUNCTION partition_drop FROM PUBLIC;
