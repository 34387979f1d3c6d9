-- version: 1

-- Keeps with an operation that has begun what the merchant's request says of it, for the object that comes of it. Says `begun`.
CREATE OR REPLACE FUNCTION payment_keep_memo(operation uuid, stated text, extras json) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF stated IS NOT NULL OR extras IS NOT NULL THEN
        UPDATE payment_operation AS o SET stated_reason = stated, metadata = extras WHERE o.operation_id = operation;
    END IF;
    RETURN 'begun';
END $$;
