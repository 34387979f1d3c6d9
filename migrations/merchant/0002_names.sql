-- The words of docs/decisions/0086, in a database that has the old ones; a new one has none of them.
-- Stop all processes before: none works with both. Locks: none that anybody waits for. Time: milliseconds.

-- Functions whose names, or the names of whose parameters, have changed: functions/ has them, and is applied behind all migrations.
DO $$
DECLARE
    item record;
BEGIN
    IF to_regprocedure('operation_verdict(payment_object, text, bigint, text, bigint, bigint, bigint, boolean)') IS NULL THEN
        RETURN;
    END IF;
    FOR item IN
        SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN ('operation_verdict', 'order_adopt', 'payment_begin')
    LOOP
        EXECUTE format('DROP FUNCTION %s', item.name);
    END LOOP;
    DELETE FROM feature_function AS f WHERE f.feature = 'merchant' AND f.name = 'operation_verdict.sql';
END $$;
