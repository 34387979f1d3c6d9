-- version: 1

-- Completes what operator_begin wrote, once, for whoever has its secret; says whether it did.
CREATE OR REPLACE FUNCTION operator_end(event bigint, result json, secret uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE operator_event AS e SET after = result, ended_at = statement_timestamp()
    WHERE e.event_id = event AND e.ended_at IS NULL AND e.secret_hash = sha256(uuid_send(secret));
    RETURN FOUND;
END $$;

REVOKE EXECUTE ON FUNCTION operator_end FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_end TO sallyport_service;
