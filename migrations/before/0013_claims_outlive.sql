-- A request that moved money is remembered for 72 hours from its end, not from its first try.
-- Locks: payment_operation, ACCESS EXCLUSIVE, not rewritten. Time: milliseconds. The program of before works on.

-- What the request was, by its claim: so that the end of an operation can bring a claim back.
ALTER TABLE payment_operation ADD COLUMN fingerprint bytea;

UPDATE payment_operation AS p SET fingerprint = i.fingerprint
FROM payment_operation_open AS q, api_idempotency AS i
WHERE p.operation_id = q.operation_id AND i.key_id = p.key_id AND i.idem = p.idem;

-- As in 0009, but a claim that is taken over begins anew, and the operation knows its request.
CREATE OR REPLACE FUNCTION payment_begin(
    operation uuid, attempt uuid, lease interval, in_flow uuid, what text, object text, sum bigint, money text, cancels boolean,
    octets bytea, sent_key text, caller uuid, mark text, print bytea,
    OUT verdict text, OUT flow uuid, OUT greatest_sum bigint, OUT word text, OUT status integer, OUT answer bytea,
    OUT left_open uuid
) LANGUAGE plpgsql AS $$
DECLARE
    p payment_object;
    claim record;
    under record;
BEGIN
    verdict := 'unknown';
    SELECT q.flow_id INTO flow FROM payment_object AS q
    WHERE q.object_id = object AND (in_flow IS NULL OR q.flow_id = in_flow);
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM FROM merchant_order AS o WHERE o.flow_id = flow FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    IF caller IS NOT NULL THEN
        SELECT i.fingerprint, i.status, i.answer, i.lease_until INTO claim
        FROM api_idempotency AS i WHERE i.key_id = caller AND i.idem = mark FOR UPDATE;
        IF FOUND THEN
            verdict := CASE
                WHEN claim.fingerprint <> print                  THEN 'key_reused'
                WHEN claim.answer IS NOT NULL                    THEN 'replayed'
                WHEN claim.lease_until > statement_timestamp()   THEN 'in_progress'
                ELSE 'dead'
            END;
            status := claim.status;
            answer := claim.answer;
            IF verdict <> 'dead' THEN RETURN; END IF;
            SELECT q.operation_id INTO left_open
            FROM payment_operation_open AS q JOIN payment_operation AS r ON r.operation_id = q.operation_id
            WHERE q.target = object AND r.key_id = caller AND r.idem = mark AND r.state = 'open';
            IF FOUND THEN
                verdict := 'left';
                RETURN;
            END IF;
        END IF;
    END IF;
    SELECT * INTO p FROM payment_object AS q WHERE q.object_id = object FOR UPDATE;
    SELECT count(*) AS charges, count(*) FILTER (WHERE NOT c.final) AS open_charges,
        coalesce(sum(CASE WHEN c.final THEN c.captured ELSE c.amount END), 0)::bigint AS held
    INTO under FROM payment_object AS c
    WHERE c.flow_id = flow AND c.kind = 'charge' AND c.parent = object;
    word := p.state;
    greatest_sum := operation_limit(p, what, under.held);
    verdict := operation_verdict(p, what, sum, money, under.held, under.charges, under.open_charges, cancels);
    IF verdict <> 'begun' THEN RETURN; END IF;
    IF caller IS NOT NULL THEN
        -- A claim that is dead has nothing under way: its operation would hold the target.
        INSERT INTO api_idempotency AS i (key_id, idem, created_at, lease_until, fingerprint, flow_id)
        VALUES (caller, mark, statement_timestamp(), statement_timestamp() + lease, print, flow)
        ON CONFLICT (key_id, idem) DO UPDATE SET
            created_at = excluded.created_at, lease_until = excluded.lease_until, flow_id = excluded.flow_id
        WHERE i.answer IS NULL AND i.lease_until <= statement_timestamp() AND i.fingerprint = excluded.fingerprint;
        -- The same mark for another order, at this very moment.
        IF NOT FOUND THEN
            verdict := 'in_progress';
            RETURN;
        END IF;
    END IF;
    INSERT INTO payment_operation_open (operation_id, target) VALUES (operation, object);
    INSERT INTO payment_operation (
        operation_id, flow_id, attempt_id, key_id, created_at, lease_until, amount, attempt, kind, state, target, currency, idem,
        idem_key, body, fingerprint)
    VALUES (
        operation, flow, attempt, caller, statement_timestamp(), statement_timestamp() + lease, sum, 1, what, 'open', object,
        p.currency, mark, sent_key, octets, print);
    UPDATE payment_object AS q SET
        open_operation = operation, reserved = q.reserved + CASE what WHEN 'refund' THEN sum ELSE 0 END
    WHERE q.object_id = object;
END $$;

-- As in 0009, but the claim of an operation that ends begins anew, and comes back where it is gone.
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
    PERFORM FROM merchant_order AS o WHERE o.flow_id = op.flow_id FOR UPDATE;
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
        PERFORM payment_apply(op.flow_id, seen_kind, id, above, word, why, since, sum, money, taken, given, born);
    END IF;
    -- Without an answer the request may be made again. Its 72 hours begin here.
    UPDATE api_idempotency AS i SET
        status = said, answer = reply, created_at = statement_timestamp(), lease_until = statement_timestamp()
    WHERE i.key_id = op.key_id AND i.idem = op.idem AND i.answer IS NULL;
    IF NOT FOUND AND op.key_id IS NOT NULL AND reply IS NOT NULL THEN
        -- Whatever became of the claim, the effect is there. Where nobody knows any more what the request was, none is like it.
        INSERT INTO api_idempotency (key_id, idem, created_at, lease_until, fingerprint, flow_id, status, answer)
        VALUES (
            op.key_id, op.idem, statement_timestamp(), statement_timestamp(), coalesce(op.fingerprint, ''), op.flow_id, said, reply)
        ON CONFLICT (key_id, idem) DO NOTHING;
    END IF;
    RETURN true;
END $$;
