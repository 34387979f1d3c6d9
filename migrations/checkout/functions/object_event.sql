-- version: 1

-- The event that an object's coming into a state is worth, or NULL.
CREATE OR REPLACE FUNCTION object_event(kind object_kind, state text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'charge' AND state IN ('Authorized', 'Captured', 'Declined', 'Canceled') THEN 'charge.' || lower(state)
        WHEN kind = 'refund' AND state = 'RefundInitiated'                                   THEN 'refund.created'
        WHEN kind = 'refund' AND state IN ('Refunded', 'Declined')                           THEN 'refund.' || lower(state)
        WHEN kind = 'permission' AND state = 'Closed'                                        THEN 'permission.closed'
    END
$$;
