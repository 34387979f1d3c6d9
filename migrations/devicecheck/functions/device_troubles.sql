-- version: 1

-- Calls of the last hour that Apple has refused: because of our key, and because of what they were like.
CREATE OR REPLACE FUNCTION device_troubles(OUT refusals bigint, OUT malformed bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    since uuid := id_floor(statement_timestamp() - interval '1 hour');
    until uuid := id_floor(statement_timestamp() + interval '1 hour');
BEGIN
    SELECT count(*) FILTER (WHERE h.outcome IN ('credentials', 'credentials-expired')), count(*) FILTER (WHERE h.outcome = 'bad-request')
    INTO refusals, malformed
    FROM device_history AS h WHERE h.history_id >= since AND h.history_id < until AND h.kind = 'call';
END $$;
