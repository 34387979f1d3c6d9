-- version: 1

-- Ends an operation: `done`, `pending`, `refused`, `released` (nothing was sent) or `stuck` (a person must decide: its target stays
-- taken). False where somebody else took it over or ended it. `id` and what follows is the object that came of it, or NULL. Its claim
-- begins anew, and comes back where it is gone.
CREATE OR REPLACE FUNCTION payment_settle(
    operation uuid, fence uuid, as_end text, why_ended text, said integer, reply bytea,
    seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text, taken bigint,
    given bigint, born timestamptz
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    op payment_operation;
BEGIN
    SELECT * INTO op FROM payment_operation AS q WHERE q.operation_id = operation;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM FROM merchant_order AS o WHERE o.webview_session_id = op.webview_session_id FOR UPDATE;
    UPDATE payment_operation AS q SET
        state = as_end, ended_at = statement_timestamp(), reason = why_ended, object_id = id
    WHERE q.operation_id = operation AND q.attempt_id = fence AND q.state = 'open';
    IF NOT FOUND THEN RETURN false; END IF;
    IF as_end <> 'stuck' THEN
        DELETE FROM payment_operation_open AS q WHERE q.target = op.target AND q.operation_id = operation;
        UPDATE payment_object AS q SET
            open_operation = NULL, reserved = q.reserved - CASE op.kind WHEN 'refund' THEN op.amount ELSE 0 END
        WHERE q.object_id = op.target AND q.open_operation = operation;
    END IF;
    IF id IS NOT NULL THEN
        -- A charge that the provider declined has what was said of it; one whose capture was refused has not.
        PERFORM payment_apply(
            op.webview_session_id, seen_kind, id, above, word, why, since, sum, money, taken, given, born,
            CASE WHEN as_end IN ('done', 'pending') OR id <> op.target THEN op.stated_reason END,
            CASE WHEN as_end IN ('done', 'pending') OR id <> op.target THEN op.metadata END);
    END IF;
    -- Without an answer the request may be made again. Its 72 hours begin here.
    UPDATE api_idempotency AS i SET
        status = said, answer = reply, created_at = statement_timestamp(), lease_until = statement_timestamp(),
        held = as_end = 'stuck'
    WHERE i.key_id = op.key_id AND i.idem = op.idem AND i.answer IS NULL;
    IF NOT FOUND AND op.key_id IS NOT NULL AND reply IS NOT NULL THEN
        -- Whatever became of the claim, the effect is there. Where nobody knows any more what the request was, none is like it.
        INSERT INTO api_idempotency (key_id, idem, created_at, lease_until, fingerprint, webview_session_id, status, answer)
        VALUES (
            op.key_id, op.idem, statement_timestamp(), statement_timestamp(), coalesce(op.fingerprint, ''), op.webview_session_id, said,
            reply)
        ON CONFLICT (key_id, idem) DO NOTHING;
    END IF;
    RETURN true;
END $$;
