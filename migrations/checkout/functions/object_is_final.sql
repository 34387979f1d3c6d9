-- version: 1

-- Whether an object never leaves a state.
CREATE OR REPLACE FUNCTION object_is_final(kind object_kind, state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'session' THEN state IN ('Completed', 'Canceled')
        WHEN 'permission' THEN state = 'Closed'
        WHEN 'charge' THEN state IN ('Captured', 'Canceled', 'Declined')
        ELSE state IN ('Refunded', 'Declined')
    END
$$;
