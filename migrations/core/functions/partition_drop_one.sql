-- version: 1

-- Drops the first of some partitions that can be dropped; says whether one was, and why the first that could not be was not.
-- Locks last to the end of the transaction, so more than one drop in it would let one lock be held while the next is waited for. Of
-- each table the lock is waited for once.
CREATE OR REPLACE FUNCTION partition_drop_one(parents regclass[], children name[], OUT dropped integer, OUT problem text)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    locked regclass[] := '{}';
BEGIN
    dropped := 0;
    FOR number IN 1 .. cardinality(children) LOOP
        CONTINUE WHEN parents[number] = ANY (locked);
        BEGIN
            IF partition_drop(children[number]) THEN
                dropped := 1;
                RETURN;
            END IF;
            locked := locked || parents[number];
        EXCEPTION WHEN OTHERS THEN
            problem := coalesce(problem, format('%s: %s', children[number], SQLERRM));
        END;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION partition_drop_one FROM PUBLIC;
