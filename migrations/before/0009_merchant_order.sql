-- Orders as merchants see them, the ledger of what the provider holds and has taken, the operations on it, and the events to tell.
-- Locks: creates new objects only; the program of before does not know them and works on. Time: milliseconds.

CREATE TYPE order_state AS ENUM (
    'created', 'at_provider', 'in_review', 'paying', 'paid', 'payment_pending', 'declined', 'cancelled', 'expired',
    'captured', 'part_refunded', 'refunded', 'closed'
);

CREATE TYPE object_kind AS ENUM ('session', 'permission', 'charge', 'refund');

-- One row per order: made with the flow where a merchant opens it, else when the buyer agrees to the total.
-- Until an order is paid or has ended it stays in state `created`, and its flow tells how far it has come (order_standing).
CREATE TABLE merchant_order (
    flow_id           uuid        NOT NULL PRIMARY KEY,
    key_id            uuid,                 -- the key that opened it; NULL for the program's own shop
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    subtotal          bigint      NOT NULL, -- minor units of `currency`, as all sums
    tax               bigint      NOT NULL,
    postage           bigint,
    total             bigint,
    captured          bigint      NOT NULL DEFAULT 0,
    refunded          bigint      NOT NULL DEFAULT 0,
    events            bigint      NOT NULL DEFAULT 0, -- sequence of the newest event
    state             order_state NOT NULL,
    client            flow_client NOT NULL,
    currency          text        NOT NULL,
    reference         text        NOT NULL, -- the merchant's name for it; never changes
    account           text        NOT NULL, -- at the provider
    environment       text        NOT NULL, -- sandbox or live
    checkout_session  text,
    charge_permission text,
    lines             json        NOT NULL, -- [{"id","name","unitPrice","quantity","sum"}], sums in minor units
    metadata          json,
    note              text
) PARTITION BY RANGE (flow_id);

-- Neither column ever changes, so updates stay heap-only.
CREATE INDEX merchant_order_reference ON merchant_order (reference, flow_id);

-- What the provider holds, and the way from its ids to flows. Not partitioned, because it is found by those ids: the first
-- table whose rows are deleted, with the month of their order.
CREATE TABLE payment_object (
    flow_id           uuid        NOT NULL,
    open_operation    uuid,
    created_at        timestamptz NOT NULL,
    observed_at       timestamptz NOT NULL,
    object_updated_at timestamptz,          -- by the provider's clock: what is older changes nothing
    amount            bigint      NOT NULL, -- of a permission its limit
    captured          bigint      NOT NULL DEFAULT 0, -- of a charge
    refunded          bigint      NOT NULL DEFAULT 0, -- of a charge: given back or on its way
    reserved          bigint      NOT NULL DEFAULT 0, -- of a charge: refunds that were begun and not answered
    kind              object_kind NOT NULL,
    final             boolean     NOT NULL,
    object_id         text        NOT NULL PRIMARY KEY,
    parent            text,                 -- of a charge its permission, of a refund its charge
    currency          text        NOT NULL,
    state             text        NOT NULL, -- the provider's word
    reason            text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX payment_object_flow ON payment_object (flow_id);

-- What was asked of the provider, in the octets that are sent, the same at every repeat.
CREATE TABLE payment_operation (
    operation_id uuid        NOT NULL PRIMARY KEY,
    flow_id      uuid        NOT NULL,
    attempt_id   uuid        NOT NULL, -- fences the end
    key_id       uuid,
    created_at   timestamptz NOT NULL,
    lease_until  timestamptz NOT NULL,
    ended_at     timestamptz,
    amount       bigint,
    attempt      integer     NOT NULL,
    recoveries   integer     NOT NULL DEFAULT 0,
    kind         text        NOT NULL,
    state        text        NOT NULL, -- open, done, pending, refused, released, stuck
    target       text        NOT NULL,
    currency     text        NOT NULL,
    idem         text,                 -- what the caller marked its request with
    idem_key     text        NOT NULL, -- what the provider is sent
    object_id    text,
    reason       text,
    body         bytea       NOT NULL
) PARTITION BY RANGE (operation_id);

-- The operations that have not ended, by what they are done to: at most one each. A stuck one stays until a person ends it.
CREATE TABLE payment_operation_open (
    operation_id uuid NOT NULL,
    target       text NOT NULL PRIMARY KEY
);

-- What merchants are told, numbered by order without a gap. Append-only; no token, no personal data.
CREATE TABLE merchant_event (
    flow_id  uuid        NOT NULL,
    event_id uuid        NOT NULL,
    sequence bigint      NOT NULL,
    at       timestamptz NOT NULL,
    type     text        NOT NULL,
    data     json        NOT NULL, -- the order as it was then
    PRIMARY KEY (flow_id, sequence)
) PARTITION BY RANGE (flow_id);

-- Texts of sums and times, as the API writes them.
CREATE FUNCTION money_json(units bigint, currency text) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN units IS NOT NULL THEN json_build_object(
        'amount', CASE currency WHEN 'JPY' THEN units::text
            ELSE (units / 100)::text || '.' || lpad((units % 100)::text, 2, '0') END,
        'currencyCode', currency) END
$$;

CREATE FUNCTION time_text(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- The lines of an order of the program's own shop, from the cart of its flow.
CREATE FUNCTION order_lines(cart json) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_agg(json_build_object(
        'id', l ->> 'id', 'name', l ->> 'name', 'unitPrice', (l ->> 'price')::bigint, 'quantity', (l ->> 'quantity')::bigint,
        'sum', (l ->> 'price')::bigint * (l ->> 'quantity')::bigint))
    FROM json_array_elements(cart) AS l
$$;

-- The lines of an order as the API shows them.
CREATE FUNCTION order_lines_data(lines json, currency text) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_agg(json_build_object(
        'id', l ->> 'id', 'name', l ->> 'name', 'unitPrice', money_json((l ->> 'unitPrice')::bigint, currency),
        'quantity', l -> 'quantity', 'sum', money_json((l ->> 'sum')::bigint, currency)))
    FROM json_array_elements(lines) AS l
$$;

-- An object of the ledger, as an event shows it.
CREATE FUNCTION object_event_data(p payment_object) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'kind', p.kind, 'id', p.object_id, 'state', lower(regexp_replace(p.state, '([a-z])([A-Z])', '\1_\2', 'g')),
        'reasonCode', p.reason, 'amount', money_json(p.amount, p.currency))
$$;

-- An order as an event shows it, with the object that the event is about.
CREATE FUNCTION order_event_data(o merchant_order, object json) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'id', o.flow_id, 'reference', o.reference, 'state', o.state, 'client', o.client, 'currency', o.currency,
        'lines', order_lines_data(o.lines, o.currency),
        'amounts', json_build_object(
            'subtotal', money_json(o.subtotal, o.currency), 'tax', money_json(o.tax, o.currency),
            'postage', money_json(o.postage, o.currency), 'total', money_json(o.total, o.currency),
            'captured', money_json(o.captured, o.currency), 'refunded', money_json(o.refunded, o.currency)),
        'checkoutSessionId', o.checkout_session, 'chargePermissionId', o.charge_permission, 'object', object,
        'createdAt', time_text(o.created_at), 'updatedAt', time_text(o.updated_at))
$$;

-- Where an order stands: its own word once it is paid or has ended, before that what its flow tells. `over` is whether the
-- flow's deadline has passed; a flow that is not kept any more has ended.
CREATE FUNCTION order_standing(o order_state, f flow_state, over boolean) RETURNS order_state
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN o = 'declined' AND f NOT IN ('reviewed', 'placed', 'purchasing') THEN o
        WHEN o NOT IN ('created', 'declined')                                 THEN o
        WHEN f IS NULL                                                        THEN 'expired'
        WHEN f = 'purchasing'                                                 THEN 'paying'
        WHEN f = 'authorized'                                                 THEN 'paid'
        WHEN f IN ('revoked', 'cancelled')                                    THEN 'cancelled'
        WHEN f = 'expired' OR over                                            THEN 'expired'
        WHEN f = 'issued'                                                     THEN 'created'
        WHEN f = 'opened'                                                     THEN 'at_provider'
        WHEN f = 'declined'                                                   THEN 'declined'
        ELSE 'in_review'
    END::order_state
$$;

-- Whether an object never leaves a state.
CREATE FUNCTION object_is_final(kind object_kind, state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'session' THEN state IN ('Completed', 'Canceled')
        WHEN 'permission' THEN state = 'Closed'
        WHEN 'charge' THEN state IN ('Captured', 'Canceled', 'Declined')
        ELSE state IN ('Refunded', 'Declined')
    END
$$;

-- The event that an object's coming into a state is worth, or NULL.
CREATE FUNCTION object_event(kind object_kind, state text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN kind = 'charge' AND state IN ('Authorized', 'Captured', 'Declined', 'Canceled') THEN 'charge.' || lower(state)
        WHEN kind = 'refund' AND state = 'RefundInitiated'                                   THEN 'refund.created'
        WHEN kind = 'refund' AND state IN ('Refunded', 'Declined')                           THEN 'refund.' || lower(state)
        WHEN kind = 'permission' AND state = 'Closed'                                        THEN 'permission.closed'
    END
$$;

-- The greatest sum that an operation may move on an object; `held` is what charges under a permission hold or have taken.
CREATE FUNCTION operation_limit(p payment_object, kind text, held bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'finalize' THEN p.amount
        WHEN 'capture' THEN p.amount
        WHEN 'create_charge' THEN
            greatest(0, least(p.amount - held, CASE p.currency WHEN 'JPY' THEN 10000000 ELSE 15000000 END))
        WHEN 'refund' THEN greatest(0,
            p.captured + least(p.captured * 15 / 100, CASE p.currency WHEN 'JPY' THEN 8400 ELSE 7500 END)
            - p.refunded - p.reserved)
        ELSE 0
    END
$$;

-- Whether an operation may begin. `charges` and `open_charges` stand under a permission; `cancels` is whether a close ends them too.
CREATE FUNCTION operation_verdict(
    p payment_object, kind text, sum bigint, money text, held bigint, charges bigint, open_charges bigint, cancels boolean
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN NOT CASE kind
            WHEN 'finalize' THEN p.kind = 'session' AND p.state = 'Open'
            WHEN 'create_charge' THEN p.kind = 'permission' AND p.state = 'Chargeable'
            WHEN 'close_permission' THEN p.kind = 'permission' AND p.state <> 'Closed'
            WHEN 'capture' THEN p.kind = 'charge' AND p.state = 'Authorized'
            WHEN 'refund' THEN p.kind = 'charge' AND p.state = 'Captured'
            WHEN 'cancel_charge' THEN p.kind = 'charge' AND p.state IN ('Authorized', 'AuthorizationInitiated')
            ELSE false
        END                                                                     THEN 'wrong_state'
        WHEN p.open_operation IS NOT NULL                                       THEN 'in_progress'
        WHEN sum <= 0                                                           THEN 'nothing'
        WHEN sum IS NOT NULL AND money <> p.currency                            THEN 'other_currency'
        WHEN sum > operation_limit(p, kind, held)                               THEN 'exceeds'
        WHEN kind = 'finalize' AND sum <> p.amount                              THEN 'other_amount'
        WHEN kind = 'create_charge' AND charges >= 25                           THEN 'too_many_charges'
        WHEN kind = 'close_permission' AND NOT cancels AND open_charges > 0     THEN 'open_charges'
        ELSE 'begun'
    END
$$;

-- The functions below take several steps, each of which sees what was committed before it. All of them lock the row of the order
-- first, so whatever happens to the money of one order happens one after the other.

-- Numbers an event of an order and writes it down. The order must be locked.
CREATE FUNCTION order_announce(flow uuid, event text, object json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH o AS (
        UPDATE merchant_order AS o SET events = o.events + 1 WHERE o.flow_id = flow
        RETURNING o.flow_id, o.events, order_event_data(o, object) AS data
    )
    INSERT INTO merchant_event (flow_id, event_id, sequence, at, type, data)
    SELECT o.flow_id, gen_random_uuid(), o.events, statement_timestamp(), event, o.data FROM o;
END $$;

-- Brings sums and state of an order in line with its ledger. The order must be locked.
CREATE FUNCTION order_settle(flow uuid) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    sums record;
    newest record;
    permission text;
BEGIN
    SELECT coalesce(sum(c.captured), 0)::bigint AS captured, coalesce(sum(c.refunded), 0)::bigint AS refunded,
        bool_or(c.state IN ('Authorized', 'CaptureInitiated')) AS held,
        bool_or(c.state = 'AuthorizationInitiated') AS pending
    INTO sums FROM payment_object AS c WHERE c.flow_id = flow AND c.kind = 'charge';
    SELECT c.state, c.reason INTO newest FROM payment_object AS c
    WHERE c.flow_id = flow AND c.kind = 'charge' ORDER BY c.created_at DESC, c.object_id DESC LIMIT 1;
    SELECT p.state INTO permission FROM payment_object AS p
    WHERE p.flow_id = flow AND p.kind = 'permission' ORDER BY p.created_at DESC LIMIT 1;
    UPDATE merchant_order AS o SET
        captured = sums.captured, refunded = sums.refunded, updated_at = statement_timestamp(),
        state = CASE
            WHEN sums.captured > 0 AND sums.refunded = 0            THEN 'captured'
            WHEN sums.captured > 0 AND sums.refunded < sums.captured THEN 'part_refunded'
            WHEN sums.captured > 0                                  THEN 'refunded'
            WHEN sums.held                                          THEN 'paid'
            WHEN sums.pending                                       THEN 'payment_pending'
            WHEN permission = 'Closed'                              THEN 'closed'
            WHEN newest.state = 'Declined'                          THEN 'declined'
            WHEN newest.state = 'Canceled' AND newest.reason = 'ExpiredUnused' THEN 'expired'
            WHEN newest.state = 'Canceled'                          THEN 'cancelled'
            ELSE o.state::text
        END::order_state
    WHERE o.flow_id = flow;
END $$;

-- Takes in what was seen of an object: `changed`, `same` (seen before), or `older` (overtaken, changes nothing).
-- The order must be locked. `taken` counts only once a charge is captured; `given` is what the provider says was refunded of it.
CREATE FUNCTION payment_apply(
    flow uuid, seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text,
    taken bigint, given bigint, born timestamptz
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    old payment_object;
    new payment_object;
    is_new boolean;
    ends boolean := object_is_final(seen_kind, word);
    ours text;
    event text;
BEGIN
    SELECT o.currency INTO ours FROM merchant_order AS o WHERE o.flow_id = flow;
    IF money <> ours THEN
        -- No order has two currencies: what was read there is no sum of it.
        sum := NULL;
        taken := NULL;
        given := NULL;
    END IF;
    SELECT * INTO old FROM payment_object AS p WHERE p.object_id = id FOR UPDATE;
    is_new := NOT FOUND;
    IF is_new THEN
        INSERT INTO payment_object (
            flow_id, created_at, observed_at, object_updated_at, amount, captured, refunded, kind, final, object_id, parent,
            currency, state, reason)
        VALUES (
            flow, coalesce(born, statement_timestamp()), statement_timestamp(), since, coalesce(sum, 0),
            CASE WHEN word = 'Captured' THEN coalesce(taken, sum, 0) ELSE 0 END, coalesce(given, 0), seen_kind, ends, id,
            above, ours, word, why)
        RETURNING * INTO new;
    ELSE
        IF old.final AND NOT ends OR old.object_updated_at > since OR old.object_updated_at IS NOT NULL AND since IS NULL THEN
            RETURN 'older';
        END IF;
        UPDATE payment_object AS p SET
            observed_at = statement_timestamp(), object_updated_at = since, amount = coalesce(sum, p.amount), state = word,
            reason = why, final = ends, parent = coalesce(above, p.parent),
            captured = CASE WHEN word = 'Captured' THEN coalesce(taken, sum, p.amount) ELSE 0 END,
            refunded = CASE WHEN seen_kind = 'charge' THEN greatest(coalesce(given, 0), (
                SELECT coalesce(sum(r.amount), 0) FROM payment_object AS r
                WHERE r.flow_id = flow AND r.kind = 'refund' AND r.parent = id AND r.state <> 'Declined'))
                ELSE p.refunded END
        WHERE p.object_id = id RETURNING * INTO new;
    END IF;
    IF seen_kind = 'refund' THEN
        -- What the charge itself was said to have given back may be older than this: the refunds count.
        UPDATE payment_object AS p SET refunded = (
            SELECT coalesce(sum(r.amount), 0) FROM payment_object AS r
            WHERE r.flow_id = flow AND r.kind = 'refund' AND r.parent = new.parent AND r.state <> 'Declined')
        WHERE p.object_id = new.parent AND p.flow_id = flow;
    END IF;
    IF NOT is_new AND old.state = word AND old.captured = new.captured AND old.refunded = new.refunded
        AND old.amount = new.amount THEN
        RETURN 'same';
    END IF;
    PERFORM order_settle(flow);
    event := object_event(seen_kind, word);
    IF event IS NOT NULL AND (is_new OR old.state <> word) THEN
        PERFORM order_announce(flow, event, object_event_data(new));
    END IF;
    RETURN 'changed';
END $$;

-- Takes in what was read of an object: as payment_apply, or `unknown` where no order has it or what it stands under.
CREATE FUNCTION payment_observe(
    seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text, taken bigint,
    given bigint, born timestamptz, OUT verdict text, OUT flow uuid
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.flow_id INTO flow FROM payment_object AS p WHERE p.object_id IN (id, above) ORDER BY p.object_id <> id LIMIT 1;
    IF flow IS NOT NULL THEN
        PERFORM FROM merchant_order AS o WHERE o.flow_id = flow FOR UPDATE;
    END IF;
    IF flow IS NULL OR NOT FOUND THEN
        verdict := 'unknown';
        RETURN;
    END IF;
    verdict := payment_apply(flow, seen_kind, id, above, word, why, since, sum, money, taken, given, born);
END $$;

-- Begins an operation, or says why not: `unknown`, `key_reused`, `replayed`, `in_progress`, `left` (it has begun, and whoever held
-- it is gone: to be taken over), or a word of operation_verdict.
-- Only what begins leaves a claim behind, so a request that was refused is judged anew when it is repeated.
CREATE FUNCTION payment_begin(
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
        ON CONFLICT (key_id, idem) DO UPDATE SET lease_until = excluded.lease_until, flow_id = excluded.flow_id
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
        idem_key, body)
    VALUES (
        operation, flow, attempt, caller, statement_timestamp(), statement_timestamp() + lease, sum, 1, what, 'open', object,
        p.currency, mark, sent_key, octets);
    UPDATE payment_object AS q SET
        open_operation = operation, reserved = q.reserved + CASE what WHEN 'refund' THEN sum ELSE 0 END
    WHERE q.object_id = object;
END $$;

-- Ends an operation: `done`, `pending`, `refused`, `released` (nothing was sent) or `stuck` (a person must look: its target stays
-- taken). False where somebody else took it over or ended it. `id` and what follows is the object that came of it, or NULL.
CREATE FUNCTION payment_settle(
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
    -- Without an answer the request may be made again.
    UPDATE api_idempotency AS i SET status = said, answer = reply, lease_until = statement_timestamp()
    WHERE i.key_id = op.key_id AND i.idem = op.idem AND i.answer IS NULL;
    RETURN true;
END $$;

-- Makes one partition of months, as flow_make_partition does; rows of orders and operations change a few times in their page.
CREATE FUNCTION merchant_make_partition(parent text, since timestamptz, until timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    child text := parent || '_' || to_char(since AT TIME ZONE 'UTC', 'YYYYMM');
BEGIN
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
         WITH (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2)',
        child, parent, CASE parent WHEN 'merchant_event' THEN 100 ELSE 70 END);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, flow_floor(since), flow_floor(until));
    RETURN true;
END $$;

-- Makes the partitions that are due, drops at most one of those past retention, and deletes a batch of the ledger's rows whose
-- orders are gone; says how many of each, and how many partitions and at least how many rows are left. To be called again while
-- it drops or deletes something. Locks and rights as flow_maintain_partitions.
CREATE FUNCTION merchant_maintain_partitions(
    keep interval, OUT made integer, OUT dropped integer, OUT overdue integer, OUT deleted integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    parent text;
    start timestamptz;
    child name;
    children name[];
BEGIN
    made := 0;
    dropped := 0;
    overdue := 0;
    deleted := 0;
    IF NOT pg_try_advisory_xact_lock(hashtext('merchant_maintain_partitions')) THEN
        RETURN;
    END IF;
    FOREACH parent IN ARRAY ARRAY['merchant_order', 'payment_operation', 'merchant_event'] LOOP
        FOR start IN SELECT generate_series(
            date_trunc('month', statement_timestamp() - interval '1 day'), statement_timestamp() + interval '20 days', '1 month')
        LOOP
            made := made + merchant_make_partition(parent, start, start + interval '1 month')::integer;
        END LOOP;
    END LOOP;
    -- Orders go last, so that nothing is left without its order but what is deleted below.
    SELECT coalesce(array_agg(c.relname ORDER BY right(c.relname, 6), c.relname LIKE 'merchant_order%'), '{}') INTO children
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('merchant_order'::regclass, 'payment_operation'::regclass, 'merchant_event'::regclass)
        AND to_timestamp(right(c.relname, 6), 'YYYYMM') + interval '1 month' + keep < statement_timestamp();
    overdue := cardinality(children);
    IF overdue > 0 THEN
        IF flow_drop_partition(children[1]) THEN
            dropped := 1;
            overdue := overdue - 1;
        END IF;
        RETURN;
    END IF;
    DELETE FROM payment_object AS p WHERE p.object_id IN (
        SELECT q.object_id FROM payment_object AS q
        WHERE q.flow_id < flow_floor(date_trunc('month', statement_timestamp() - keep))
        ORDER BY q.flow_id LIMIT 1000);
    GET DIAGNOSTICS deleted = ROW_COUNT;
END $$;

GRANT SELECT, INSERT, UPDATE ON merchant_order, payment_operation TO sallyport_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON payment_object, payment_operation_open TO sallyport_service;
GRANT SELECT, INSERT ON merchant_event TO sallyport_service;

REVOKE EXECUTE ON FUNCTION merchant_make_partition, merchant_maintain_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merchant_maintain_partitions TO sallyport_service;

SELECT merchant_maintain_partitions(interval '400 days');
