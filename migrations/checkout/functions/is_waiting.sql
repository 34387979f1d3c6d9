-- version: 1

-- Whether a flow waits for somebody: it may expire, be revoked and be cancelled.
-- Unsafe, so that no statement that asks is spread over several processes of the server: the count of all live flows would be, and
-- whether a statement may have them is decided before its functions are inlined.
CREATE OR REPLACE FUNCTION is_waiting(state flow_state) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL UNSAFE AS $$
    SELECT state IN ('issued', 'opened', 'reviewed', 'placed', 'declined')
$$;
