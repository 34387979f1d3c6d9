-- version: 1

-- Ends an operation whose key the provider has had with other octets: it had no effect and will have none. The claim goes with it, so
-- that the request that the provider had first can be repeated. False where somebody else took the operation over or ended it.
CREATE OR REPLACE FUNCTION payment_end_reused(operation uuid, fence uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    op payment_operation;
BEGIN
    SELECT * INTO op FROM payment_operation AS q WHERE q.operation_id = operation;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM FROM merchant_order AS o WHERE o.webview_session_id = op.webview_session_id FOR UPDATE;
    UPDATE payment_operation AS q SET
        state = 'refused', ended_at = statement_timestamp(), reason = 'DuplicateIdempotencyKey'
    WHERE q.operation_id = operation AND q.attempt_id = fence AND q.state = 'open';
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM payment_operation_open AS q WHERE q.target = op.target AND q.operation_id = operation;
    UPDATE payment_object AS q SET
        open_operation = NULL, reserved = q.reserved - CASE op.kind WHEN 'refund' THEN op.amount ELSE 0 END
    WHERE q.object_id = op.target AND q.open_operation = operation;
    DELETE FROM api_idempotency AS i WHERE i.key_id = op.key_id AND i.idem = op.idem AND i.answer IS NULL;
    RETURN true;
END $$;
