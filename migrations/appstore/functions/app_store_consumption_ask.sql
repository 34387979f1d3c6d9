-- version: 2

-- Notes that Apple wants to know what was used of a purchase, and announces it. Apple waits for twelve hours; for so long the customer may
-- agree, and a purchase without an owner may find one.
CREATE OR REPLACE FUNCTION app_store_consumption_ask(notification text, signed timestamptz, why text, p app_store_purchase) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    owner uuid := (SELECT l.account_id FROM app_store_ledger AS l WHERE l.ledger_id = p.ledger_id);
BEGIN
    INSERT INTO app_store_consumption (requested_at, due_at, ends_at, purchase_id, attempts, notification_id, state, reason)
    VALUES (signed, statement_timestamp(), signed + interval '12 hours', p.purchase_id, 0, notification, 'open', why);
    PERFORM event_announce('purchase', p.purchase_id, 'app_store.consumption.requested', json_build_object(
        'accountId', owner, 'environment', p.environment, 'transactionId', p.transaction_id, 'productId', p.product_id,
        'reason', why, 'answerBefore', time_text(signed + interval '12 hours')));
END $$;
