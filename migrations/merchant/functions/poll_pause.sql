-- version: 1

-- When an object that has come into a state is read first, or NULL where nothing is expected of it. The program's schedule says
-- the same and goes on from there.
CREATE OR REPLACE FUNCTION poll_pause(kind object_kind, state text) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'charge' AND state = 'AuthorizationInitiated' THEN interval '30 seconds'
        WHEN kind = 'charge' AND state = 'Authorized'             THEN interval '24 hours'
        WHEN kind = 'charge' AND state = 'CaptureInitiated'       THEN interval '0 seconds'
        WHEN kind = 'refund' AND state = 'RefundInitiated'        THEN interval '1 minute'
        WHEN kind = 'permission' AND state <> 'Closed'            THEN interval '720 hours'
    END
$$;
