-- version: 1

-- Notes what the provider called the request that ended an operation; to be called once it is settled.
CREATE OR REPLACE FUNCTION payment_note_request(operation uuid, fence uuid, request text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF request IS NOT NULL THEN
        UPDATE payment_operation AS o SET provider_request = request
        WHERE o.operation_id = operation AND o.attempt_id = fence;
    END IF;
    RETURN true;
END $$;
