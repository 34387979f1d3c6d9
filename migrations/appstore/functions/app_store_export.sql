-- version: 1

-- All that is kept of an account, for the person; NULL where there is nothing.
CREATE OR REPLACE FUNCTION app_store_export(account uuid) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE
    token uuid := (SELECT c.app_account_token FROM app_store_customer AS c WHERE c.account_id = account);
    ledgers json;
BEGIN
    SELECT json_agg(json_build_object(
        'environment', l.environment, 'units', l.units,
        'purchases', (
            SELECT coalesce(json_agg(app_store_purchase_json(p) ORDER BY p.purchase_id), '[]')
            FROM app_store_purchase AS p WHERE p.ledger_id = l.ledger_id),
        'entries', (
            SELECT coalesce(json_agg(app_store_entry_json(e) ORDER BY e.sequence), '[]')
            FROM app_store_entry AS e WHERE e.ledger_id = l.ledger_id),
        'notifications', (
            SELECT coalesce(json_agg(json_build_object(
                'id', n.notification_id, 'receivedAt', time_text(n.received_at), 'type', n.type, 'subtype', n.subtype,
                'transactionId', n.transaction_id) ORDER BY n.received_at), '[]')
            FROM app_store_purchase AS p JOIN app_store_notification AS n USING (transaction_id, environment)
            WHERE p.ledger_id = l.ledger_id)
    ) ORDER BY l.environment) INTO ledgers FROM app_store_ledger AS l WHERE l.account_id = account;
    IF token IS NULL AND ledgers IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN json_build_object('appAccountToken', token, 'ledgers', coalesce(ledgers, '[]'));
END $$;
