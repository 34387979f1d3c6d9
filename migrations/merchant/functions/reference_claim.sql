-- version: 1

-- The reference, where no session holds it; until the commit nobody else gets it. Otherwise the statement fails with SY001, and
-- leaves nothing behind. A function of this kind sees what was committed while it waited for the lock.
CREATE OR REPLACE FUNCTION reference_claim(wanted text, at_account text, at_environment text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    holder uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(
        hashtextextended(format('order reference %s %s %s', at_account, at_environment, wanted), 0));
    holder := reference_holder(wanted, at_account, at_environment);
    IF holder IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'SY001', MESSAGE = format('session %s has the reference', holder);
    END IF;
    RETURN wanted;
END $$;
