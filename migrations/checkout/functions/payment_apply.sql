-- version: 1

-- Takes in what was seen of an object: `changed`, `same` (seen before), or `older` (overtaken, changes nothing).
-- The order must be locked. `taken` counts only once a charge is captured; `given` is what the provider says was refunded of it, by
-- whomever, and stays counted. Two states of one second are told apart by reading again.
-- What changes state or sums of a charge has an event, whoever noticed: where the object has none of its own, `charge.updated`.
-- `stated` and `extras` are what a merchant's request said of it, or NULL: kept also where the object is known already.
CREATE OR REPLACE FUNCTION payment_apply(
    webview_session uuid, seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text,
    taken bigint, given bigint, born timestamptz, stated text, extras json
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    old payment_object;
    new payment_object;
    is_new boolean;
    ends boolean := object_is_final(seen_kind, word);
    ours text;
    event text;
    given_back bigint;
    charge payment_object;
    counted_before bigint;
BEGIN
    SELECT o.currency INTO ours FROM merchant_order AS o WHERE o.webview_session_id = webview_session;
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
            webview_session_id, created_at, observed_at, object_updated_at, amount, captured, refunded, said_refunded, kind, final,
            object_id, parent, currency, state, reason, captured_at, stated_reason, metadata)
        VALUES (
            webview_session, coalesce(born, statement_timestamp()), statement_timestamp(), since, coalesce(sum, 0),
            CASE WHEN word = 'Captured' THEN coalesce(taken, sum, 0) ELSE 0 END, coalesce(given, 0), coalesce(given, 0), seen_kind,
            ends, id, above, ours, word, why, CASE word WHEN 'Captured' THEN coalesce(since, statement_timestamp()) END, stated, extras)
        RETURNING * INTO new;
    ELSE
        IF stated IS NOT NULL OR extras IS NOT NULL THEN
            UPDATE payment_object AS p SET
                stated_reason = coalesce(stated, p.stated_reason), metadata = coalesce(extras, p.metadata)
            WHERE p.object_id = id;
        END IF;
        IF old.final AND NOT ends OR old.object_updated_at > since OR old.object_updated_at IS NOT NULL AND since IS NULL THEN
            RETURN 'older';
        END IF;
        UPDATE payment_object AS p SET
            observed_at = statement_timestamp(), object_updated_at = since, amount = coalesce(sum, p.amount), state = word,
            reason = why, final = ends, parent = coalesce(above, p.parent),
            captured = CASE WHEN word = 'Captured' THEN coalesce(taken, sum, p.amount) ELSE 0 END,
            -- What happens to a charge later moves its time at the provider.
            captured_at = CASE WHEN word = 'Captured' THEN coalesce(p.captured_at, since, statement_timestamp()) END,
            said_refunded = coalesce(given, p.said_refunded),
            refunded = CASE WHEN seen_kind = 'charge' THEN greatest(coalesce(given, p.said_refunded), (
                SELECT coalesce(sum(r.amount), 0) FROM payment_object AS r
                WHERE r.webview_session_id = webview_session AND r.kind = 'refund' AND r.parent = id AND r.state <> 'Declined'))
                ELSE p.refunded END
        WHERE p.object_id = id RETURNING * INTO new;
    END IF;
    IF seen_kind = 'refund' THEN
        SELECT coalesce(sum(r.amount), 0) INTO given_back FROM payment_object AS r
        WHERE r.webview_session_id = webview_session AND r.kind = 'refund' AND r.parent = new.parent AND r.state <> 'Declined';
        SELECT p.refunded INTO counted_before FROM payment_object AS p
        WHERE p.object_id = new.parent AND p.webview_session_id = webview_session;
        -- What the charge itself was said to have given back may be older than this, or hold refunds that were made elsewhere.
        UPDATE payment_object AS p SET refunded = greatest(p.said_refunded, given_back)
        WHERE p.object_id = new.parent AND p.webview_session_id = webview_session RETURNING * INTO charge;
        IF is_new OR word = 'Declined' AND old.state <> word THEN
            -- Whether that was in what the charge said, the charge alone can tell.
            PERFORM poll_wake(p.object_id, p.kind, webview_session) FROM payment_object AS p
            WHERE p.object_id = new.parent AND p.webview_session_id = webview_session
                AND p.said_refunded > given_back - CASE word WHEN 'Declined' THEN 0 ELSE new.amount END;
        END IF;
    END IF;
    IF NOT is_new AND old.state = word AND old.captured = new.captured AND old.refunded = new.refunded
        AND old.amount = new.amount THEN
        RETURN 'same';
    END IF;
    IF NOT is_new AND old.state <> word AND old.object_updated_at = since AND old.final = ends AND seen_kind <> 'session'
        AND old.state NOT IN ('AuthorizationInitiated', 'RefundInitiated') THEN
        -- The provider's times are whole seconds: which of two states of one second came first is not known, unless one is an end
        -- or a beginning. It is read again.
        PERFORM poll_wake(id, seen_kind, webview_session);
    END IF;
    PERFORM order_settle(webview_session);
    event := object_event(seen_kind, word);
    IF event IS NOT NULL AND (is_new OR old.state <> word) THEN
        PERFORM order_announce(webview_session, event, object_event_data(new));
    ELSIF seen_kind = 'charge' THEN
        PERFORM order_announce(webview_session, 'charge.updated', object_event_data(new));
    ELSIF charge.refunded <> counted_before THEN
        PERFORM order_announce(webview_session, 'charge.updated', object_event_data(charge));
    END IF;
    RETURN 'changed';
END $$;

-- The same of an object that no request of a merchant has made or changed just now.
CREATE OR REPLACE FUNCTION payment_apply(
    webview_session uuid, seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text,
    taken bigint, given bigint, born timestamptz
) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN payment_apply(
        webview_session, seen_kind, id, above, word, why, since, sum, money, taken, given, born, NULL::text, NULL::json);
END $$;
