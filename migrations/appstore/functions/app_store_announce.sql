-- version: 1

-- Announces what happened to a purchase to whoever wants it.
CREATE OR REPLACE FUNCTION app_store_announce(p app_store_purchase, event text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    l app_store_ledger;
BEGIN
    SELECT * INTO STRICT l FROM app_store_ledger AS w WHERE w.ledger_id = p.ledger_id;
    PERFORM event_announce('purchase', p.purchase_id, event, json_build_object(
        'accountId', l.account_id, 'environment', p.environment, 'transactionId', p.transaction_id, 'productId', p.product_id,
        'quantity', p.quantity, 'units', p.granted, 'takenBack', p.taken, 'balance', l.units));
END $$;
