-- version: 1

-- Takes a payment in that the provider knows and the ledger does not: `adopted`, or why not. `known`: the ledger has it for this order;
-- `other`: another order has it, or the order another permission, account or currency; `under_way`: the session has not ended, so its
-- own purchase or its recovery finds the payment. An order that is lost entirely is made with one line.
CREATE OR REPLACE FUNCTION order_adopt(
    in_session uuid, id text, sum bigint, money text, merchant text, world text, named text, by_request text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    f webview_session;
    o merchant_order;
    holder uuid;
BEGIN
    SELECT * INTO f FROM webview_session AS q WHERE q.webview_session_id = in_session FOR UPDATE;
    SELECT * INTO o FROM merchant_order AS q WHERE q.webview_session_id = in_session FOR UPDATE;
    SELECT p.webview_session_id INTO holder FROM payment_object AS p WHERE p.object_id = id;
    IF FOUND THEN
        RETURN CASE WHEN holder = in_session THEN 'known' ELSE 'other' END;
    END IF;
    IF o.account <> merchant OR o.environment <> world OR o.currency <> money
        OR EXISTS (SELECT FROM payment_object AS p WHERE p.webview_session_id = in_session AND p.kind = 'permission')
    THEN
        RETURN 'other';
    END IF;
    IF is_waiting(f.state) OR f.state = 'purchasing' THEN
        RETURN 'under_way';
    END IF;
    IF o.webview_session_id IS NULL THEN
        INSERT INTO merchant_order (
            webview_session_id, created_at, updated_at, subtotal, tax, postage, total, state, client, currency, reference, account,
            environment, lines)
        VALUES (
            in_session, id_moment(in_session), statement_timestamp(), sum, 0, 0, sum, 'created', 'site', money, named, merchant, world,
            json_build_array(json_build_object('id', 'adopted', 'name', id, 'unitPrice', sum, 'quantity', 1, 'sum', sum)));
    END IF;
    UPDATE merchant_order AS q SET
        state = 'paid', charge_permission = id, postage = coalesce(q.postage, 0), total = coalesce(q.total, sum),
        updated_at = statement_timestamp()
    WHERE q.webview_session_id = in_session;
    INSERT INTO payment_object (webview_session_id, created_at, observed_at, amount, kind, final, object_id, currency, state)
    VALUES (in_session, statement_timestamp(), statement_timestamp(), sum, 'permission', false, id, money, 'Chargeable');
    PERFORM order_announce(in_session, 'session.paid', NULL);
    IF f.webview_session_id IS NOT NULL THEN
        UPDATE webview_session AS q SET events = q.events + 1 WHERE q.webview_session_id = in_session;
        INSERT INTO webview_session_trail (webview_session_id, ordinal, to_state, op, outcome, reason, peer, request)
        VALUES (in_session, f.events + 1, f.state, 'adopt', 'adopted', 'operator', 'operator', by_request);
    END IF;
    RETURN 'adopted';
END $$;
