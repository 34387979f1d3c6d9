-- The words of docs/decisions/0086, in a database that has the old ones; a new one has none of them.
-- Stop all processes before: none works with both. Locks: merchant_event and its partitions, to the end. Time: milliseconds.

DO $$
BEGIN
    IF to_regprocedure('flow_floor(timestamptz)') IS NULL THEN
        RETURN;
    END IF;
    ALTER TABLE merchant_event RENAME COLUMN flow_id TO webview_session_id;
    -- functions/ has them under the new names, and is applied behind all migrations.
    DROP FUNCTION flow_floor(timestamptz);
    DROP FUNCTION flow_moment(uuid);
    DELETE FROM feature_function AS f WHERE f.feature = 'core' AND f.name IN ('flow_floor.sql', 'flow_moment.sql');
END $$;
