-- version: 1

-- Begins an operation, or says why not: `unknown`, `key_reused`, `replayed`, `in_progress`, `left` (it has begun, and whoever held
-- it is gone: to be taken over), `stuck` (a person has to decide), or an outcome of operation_outcome. Where another operation holds the
-- target, `left_open` is that one, and `word` its kind and state.
-- Only what begins leaves a claim behind, so a request that was refused is judged anew when it is repeated. `scope` is that of the claim,
-- `asker` the API key, `print` the digest of the request by its value.
CREATE OR REPLACE FUNCTION payment_begin(
    operation uuid, attempt uuid, lease interval, in_session uuid, what text, object text, sum bigint, money text, cancels boolean,
    octets bytea, sent_key text, scope uuid, mark text, print bytea, asker uuid,
    OUT outcome text, OUT webview_session uuid, OUT greatest_sum bigint, OUT word text, OUT status integer, OUT answer bytea,
    OUT left_open uuid
) LANGUAGE plpgsql AS $$
DECLARE
    p payment_object;
    claim record;
    begun record;
    under record;
BEGIN
    outcome := 'unknown';
    SELECT q.webview_session_id INTO webview_session FROM payment_object AS q
    WHERE q.object_id = object AND (in_session IS NULL OR q.webview_session_id = in_session);
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM FROM merchant_order AS o WHERE o.webview_session_id = webview_session FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    IF scope IS NOT NULL THEN
        SELECT i.fingerprint, i.status, i.answer, i.lease_until INTO claim
        FROM api_idempotency AS i WHERE i.key_id = scope AND i.idem = mark FOR UPDATE;
        IF FOUND THEN
            SELECT q.operation_id, r.state INTO begun
            FROM payment_operation_open AS q JOIN payment_operation AS r ON r.operation_id = q.operation_id
            WHERE q.target = object AND r.key_id = scope AND r.idem = mark;
            outcome := CASE
                WHEN claim.fingerprint <> print                THEN 'key_reused'
                WHEN claim.answer IS NOT NULL                  THEN 'replayed'
                WHEN begun.state = 'stuck'                     THEN 'stuck'
                WHEN claim.lease_until > statement_timestamp() THEN 'in_progress'
                WHEN begun.state = 'open'                      THEN 'left'
                ELSE 'dead'
            END;
            status := claim.status;
            answer := claim.answer;
            left_open := begun.operation_id;
            IF outcome <> 'dead' THEN RETURN; END IF;
        END IF;
    END IF;
    SELECT * INTO p FROM payment_object AS q WHERE q.object_id = object FOR UPDATE;
    SELECT count(*) AS charges, count(*) FILTER (WHERE NOT c.final) AS open_charges,
        coalesce(sum(CASE WHEN c.final THEN c.captured ELSE c.amount END), 0)::bigint AS held
    INTO under FROM payment_object AS c
    WHERE c.webview_session_id = webview_session AND c.kind = 'charge' AND c.parent = object;
    word := p.state;
    greatest_sum := operation_limit(p, what, under.held);
    outcome := operation_outcome(p, what, sum, money, under.held, under.charges, under.open_charges, cancels);
    IF outcome = 'in_progress' THEN
        SELECT q.operation_id, q.kind || ' ' || q.state INTO left_open, word
        FROM payment_operation AS q WHERE q.operation_id = p.open_operation;
    END IF;
    IF outcome <> 'begun' THEN RETURN; END IF;
    IF scope IS NOT NULL THEN
        -- A claim that is dead has nothing under way: its operation would hold the target.
        INSERT INTO api_idempotency AS i (key_id, idem, created_at, lease_until, fingerprint, webview_session_id, held)
        VALUES (scope, mark, statement_timestamp(), statement_timestamp() + lease, print, webview_session, true)
        ON CONFLICT (key_id, idem) DO UPDATE SET
            created_at = excluded.created_at, lease_until = excluded.lease_until, webview_session_id = excluded.webview_session_id,
            held = true
        WHERE i.answer IS NULL AND i.lease_until <= statement_timestamp()
            AND i.fingerprint = excluded.fingerprint;
        -- The same mark for another order, at this very moment.
        IF NOT FOUND THEN
            outcome := 'in_progress';
            RETURN;
        END IF;
    END IF;
    INSERT INTO payment_operation_open (operation_id, target) VALUES (operation, object);
    INSERT INTO payment_operation (
        operation_id, webview_session_id, attempt_id, key_id, created_at, lease_until, amount, attempt, kind, state, target, currency, idem,
        idem_key, body, fingerprint, asked_by)
    VALUES (
        operation, webview_session, attempt, scope, statement_timestamp(), statement_timestamp() + lease, sum, 1, what, 'open', object,
        p.currency, mark, sent_key, octets, print, asker);
    UPDATE payment_object AS q SET
        open_operation = operation, reserved = q.reserved + CASE what WHEN 'refund' THEN sum ELSE 0 END
    WHERE q.object_id = object;
END $$;
