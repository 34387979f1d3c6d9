-- Claims of requests belong to the account at the provider, not to the API key that showed them, and are kept as long as orders.
-- Locks: payment_operation, ACCESS EXCLUSIVE, not rewritten; new and replaced functions. Time: milliseconds, however many rows there are.
-- The program of before works on: its payments meet the claims of the account, and claims that it made are met by the key that made
-- them. Its own openings of sessions go by the API key until it is replaced.

-- Since here `key_id` of a claim is its scope: 16 bytes that stand for account and environment (IdempotencyClaim).
COMMENT ON COLUMN api_idempotency.key_id IS
    'whose claims: account and environment as 16 bytes of a digest; before migration 0023 the API key';
COMMENT ON COLUMN payment_operation.key_id IS 'the scope of its claim, as in api_idempotency';

ALTER TABLE payment_operation ADD COLUMN asked_by uuid; -- the API key of the request

-- As in 0013, with the scope of the claim beside the API key; and `stuck` where a person has to look at the operation of the claim.
CREATE FUNCTION payment_begin(
    operation uuid, attempt uuid, lease interval, in_flow uuid, what text, object text, sum bigint, money text, cancels boolean,
    octets bytea, sent_key text, scope uuid, mark text, print bytea, asker uuid,
    OUT verdict text, OUT flow uuid, OUT greatest_sum bigint, OUT word text, OUT status integer, OUT answer bytea,
    OUT left_open uuid
) LANGUAGE plpgsql AS $$
DECLARE
    p payment_object;
    claim record;
    begun record;
    under record;
BEGIN
    verdict := 'unknown';
    SELECT q.flow_id INTO flow FROM payment_object AS q
    WHERE q.object_id = object AND (in_flow IS NULL OR q.flow_id = in_flow);
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM FROM merchant_order AS o WHERE o.flow_id = flow FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    IF scope IS NOT NULL THEN
        SELECT i.fingerprint, i.status, i.answer, i.lease_until INTO claim
        FROM api_idempotency AS i WHERE i.key_id IN (scope, asker) AND i.idem = mark
        ORDER BY i.key_id = scope DESC LIMIT 1 FOR UPDATE;
        IF FOUND THEN
            SELECT q.operation_id, r.state INTO begun
            FROM payment_operation_open AS q JOIN payment_operation AS r ON r.operation_id = q.operation_id
            WHERE q.target = object AND r.key_id IN (scope, asker) AND r.idem = mark;
            verdict := CASE
                WHEN claim.fingerprint <> print                  THEN 'key_reused'
                WHEN claim.answer IS NOT NULL                    THEN 'replayed'
                WHEN begun.state = 'stuck'                       THEN 'stuck'
                WHEN claim.lease_until > statement_timestamp()   THEN 'in_progress'
                WHEN begun.state = 'open'                        THEN 'left'
                ELSE 'dead'
            END;
            status := claim.status;
            answer := claim.answer;
            left_open := begun.operation_id;
            IF verdict <> 'dead' THEN RETURN; END IF;
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
    IF scope IS NOT NULL THEN
        -- A claim that is dead has nothing under way: its operation would hold the target.
        INSERT INTO api_idempotency AS i (key_id, idem, created_at, lease_until, fingerprint, flow_id)
        VALUES (scope, mark, statement_timestamp(), statement_timestamp() + lease, print, flow)
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
        idem_key, body, fingerprint, asked_by)
    VALUES (
        operation, flow, attempt, scope, statement_timestamp(), statement_timestamp() + lease, sum, 1, what, 'open', object,
        p.currency, mark, sent_key, octets, print, asker);
    UPDATE payment_object AS q SET
        open_operation = operation, reserved = q.reserved + CASE what WHEN 'refund' THEN sum ELSE 0 END
    WHERE q.object_id = object;
END $$;

-- Ends an operation whose key the provider has had with other octets: it had no effect and will have none. The claim goes with it, so
-- that the request that the provider had first can be repeated. False where somebody else took the operation over or ended it.
CREATE FUNCTION payment_end_reused(operation uuid, fence uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    op payment_operation;
BEGIN
    SELECT * INTO op FROM payment_operation AS q WHERE q.operation_id = operation;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM FROM merchant_order AS o WHERE o.flow_id = op.flow_id FOR UPDATE;
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

-- Takes a payment in that the provider knows and the ledger does not: `adopted`, or why not. `known`: the ledger has it for this order;
-- `other`: another order has it, or the order another permission, account or currency; `under_way`: the session has not ended, so its
-- own purchase or its recovery finds the payment. An order that is lost entirely is made with one line.
CREATE FUNCTION order_adopt(
    in_flow uuid, id text, sum bigint, money text, merchant text, world text, named text, by_request text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    f flow;
    o merchant_order;
    holder uuid;
BEGIN
    SELECT * INTO f FROM flow AS q WHERE q.flow_id = in_flow FOR UPDATE;
    SELECT * INTO o FROM merchant_order AS q WHERE q.flow_id = in_flow FOR UPDATE;
    SELECT p.flow_id INTO holder FROM payment_object AS p WHERE p.object_id = id;
    IF FOUND THEN
        RETURN CASE WHEN holder = in_flow THEN 'known' ELSE 'other' END;
    END IF;
    IF o.account <> merchant OR o.environment <> world OR o.currency <> money
        OR EXISTS (SELECT FROM payment_object AS p WHERE p.flow_id = in_flow AND p.kind = 'permission')
    THEN
        RETURN 'other';
    END IF;
    IF is_waiting(f.state) OR f.state = 'purchasing' THEN
        RETURN 'under_way';
    END IF;
    IF o.flow_id IS NULL THEN
        INSERT INTO merchant_order (
            flow_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account, environment,
            lines)
        VALUES (
            in_flow, flow_moment(in_flow), statement_timestamp(), sum, 0, 0, sum, 'created', 'site', money, named, merchant, world,
            json_build_array(json_build_object('id', 'adopted', 'name', id, 'unitPrice', sum, 'quantity', 1, 'sum', sum)));
    END IF;
    UPDATE merchant_order AS q SET
        state = 'paid', charge_permission = id, postage = coalesce(q.postage, 0), total = coalesce(q.total, sum),
        updated_at = statement_timestamp()
    WHERE q.flow_id = in_flow;
    INSERT INTO payment_object (flow_id, created_at, observed_at, amount, kind, final, object_id, currency, state)
    VALUES (in_flow, statement_timestamp(), statement_timestamp(), sum, 'permission', false, id, money, 'Chargeable');
    PERFORM order_announce(in_flow, 'session.paid', NULL);
    IF f.flow_id IS NOT NULL THEN
        UPDATE flow AS q SET events = q.events + 1 WHERE q.flow_id = in_flow;
        INSERT INTO flow_event (flow_id, at, ordinal, to_state, op, verdict, reason, peer, request)
        VALUES (in_flow, statement_timestamp(), f.events + 1, f.state, 'adopt', 'adopted', 'operator', 'operator', by_request);
    END IF;
    RETURN 'adopted';
END $$;

-- For a program of before, during a roll-out: its requests meet the claims of the account too. What it does not know, `stuck`, is
-- `in_progress` to it.
CREATE OR REPLACE FUNCTION payment_begin(
    operation uuid, attempt uuid, lease interval, in_flow uuid, what text, object text, sum bigint, money text, cancels boolean,
    octets bytea, sent_key text, caller uuid, mark text, print bytea,
    OUT verdict text, OUT flow uuid, OUT greatest_sum bigint, OUT word text, OUT status integer, OUT answer bytea,
    OUT left_open uuid
) LANGUAGE sql AS $$
    SELECT CASE b.verdict WHEN 'stuck' THEN 'in_progress' ELSE b.verdict END, b.flow, b.greatest_sum, b.word, b.status, b.answer,
        b.left_open
    FROM payment_begin(
        operation, attempt, lease, in_flow, what, object, sum, money, cancels, octets, sent_key,
        CASE WHEN caller IS NOT NULL THEN coalesce((
            SELECT encode(substring(sha256(convert_to(
                E'sallyport/claims/1\n' || o.environment || E'\n' || o.account, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid
            FROM payment_object AS p JOIN merchant_order AS o ON o.flow_id = p.flow_id WHERE p.object_id = object), caller) END,
        mark, print, caller) AS b
$$;
