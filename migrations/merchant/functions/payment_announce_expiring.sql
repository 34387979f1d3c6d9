-- version: 1

-- Announces that an authorised charge is about to pass one of its limits, once for each: after 7 days a capture takes days, after 30
-- there is nothing to capture any more. Says whether it did. `notice` is how long before.
CREATE OR REPLACE FUNCTION payment_announce_expiring(object text, notice interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    p payment_object;
    due timestamptz;
BEGIN
    SELECT * INTO p FROM payment_object AS o WHERE o.object_id = object;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM FROM merchant_order AS o WHERE o.webview_session_id = p.webview_session_id FOR UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    -- Under the lock of the order nothing happens to its money.
    SELECT * INTO p FROM payment_object AS o WHERE o.object_id = object;
    IF NOT FOUND OR p.kind <> 'charge' OR p.state <> 'Authorized' THEN RETURN false; END IF;
    UPDATE payment_poll AS q SET expiry_notices = l.number
    FROM (VALUES (1, interval '7 days'), (2, interval '30 days')) AS l (number, life)
    WHERE q.object_id = object AND q.expiry_notices < l.number
        -- The provider's clock where that is earlier.
        AND statement_timestamp() >= least(q.since, p.object_updated_at) + l.life - notice
        AND statement_timestamp() < least(q.since, p.object_updated_at) + l.life
    RETURNING least(q.since, p.object_updated_at) + l.life INTO due;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM order_announce(
        p.webview_session_id, 'charge.expiring',
        (object_event_data(p)::jsonb || jsonb_build_object('captureBefore', time_text(due)))::json);
    RETURN true;
END $$;
