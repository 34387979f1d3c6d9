-- version: 1

-- Completes what operator_begin wrote, once.
CREATE OR REPLACE FUNCTION operator_end(event bigint, result json) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE operator_event SET after = result, ended_at = statement_timestamp() WHERE event_id = event AND ended_at IS NULL
$$;

REVOKE EXECUTE ON FUNCTION operator_end FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_end TO sallyport_service;
