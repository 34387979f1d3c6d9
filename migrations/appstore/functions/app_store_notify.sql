-- version: 1

-- Keeps a notification and does what follows from the purchase in it, in one commit; each is taken once, however often it comes.
-- known for one that was there before, else what became of the purchase as of app_store_apply, none without one, or refused where its own
-- signature is not good (is_refused).
CREATE OR REPLACE FUNCTION app_store_notify(
    notice json, text text, is_refused boolean, said json, worth bigint, OUT outcome text, OUT is_changed boolean
)
LANGUAGE plpgsql AS $$
DECLARE
    p app_store_purchase;
BEGIN
    INSERT INTO app_store_notification (
        received_at, signed_at, notification_id, environment, type, subtype, transaction_id, outcome, payload)
    SELECT statement_timestamp(), 'epoch'::timestamptz + n.signed * interval '1 microsecond', n.id, n.environment, n.type, n.subtype,
        said->>'transaction', CASE WHEN is_refused THEN 'refused' ELSE 'none' END, text
    FROM json_to_record(notice) AS n (id text, environment text, type text, subtype text, signed bigint)
    ON CONFLICT (notification_id) DO NOTHING;
    is_changed := false;
    IF NOT FOUND THEN
        outcome := 'known';
        RETURN;
    END IF;
    outcome := CASE WHEN is_refused THEN 'refused' ELSE 'none' END;
    IF said IS NOT NULL THEN
        SELECT a.outcome, a.is_changed INTO outcome, is_changed FROM app_store_apply(NULL, said, worth) AS a;
        UPDATE app_store_notification AS n SET outcome = app_store_notify.outcome WHERE n.notification_id = notice->>'id';
        IF notice->>'type' = 'CONSUMPTION_REQUEST' THEN
            SELECT * INTO STRICT p FROM app_store_purchase AS w
            WHERE w.environment = said->>'environment' AND w.bundle_id = said->>'bundle' AND w.transaction_id = said->>'transaction';
            PERFORM app_store_consumption_ask(
                notice->>'id', 'epoch'::timestamptz + (notice->>'signed')::bigint * interval '1 microsecond', notice->>'reason', p);
        END IF;
    END IF;
END $$;
