-- version: 1

-- The service role adds to the trail through this and operator_end alone: it neither chooses times nor changes what is written.
CREATE OR REPLACE FUNCTION operator_begin(who text, what text, about text, found json) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO operator_event (operator, command, target, before) VALUES (who, what, about, found) RETURNING event_id
$$;

REVOKE EXECUTE ON FUNCTION operator_begin FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operator_begin TO sallyport_service;
