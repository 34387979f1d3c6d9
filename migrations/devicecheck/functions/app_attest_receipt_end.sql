-- version: 1

-- Notes what Apple has said of the device of a key: a newer receipt and its metric, NULL for none, when there may be another one, and for
-- how many seconds Apple is not asked in any case. Whoever has outlasted the lease says nothing any more; gives whether it is said. Of a
-- metric that is another one there is a row in the history, of one that has grown an event; a device has one key at first.
CREATE OR REPLACE FUNCTION app_attest_receipt_end(
    key bytea, asked timestamptz, fresh bytea, metric integer, not_before timestamptz, pause bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    k app_attest_key;
BEGIN
    SELECT * INTO k FROM app_attest_key AS w WHERE w.key_id = key FOR NO KEY UPDATE;
    IF k.receipt_asked_at IS DISTINCT FROM asked OR asked IS NULL THEN RETURN false; END IF;
    UPDATE app_attest_key AS w SET
        receipt = coalesce(fresh, w.receipt),
        risk_metric = coalesce(metric, w.risk_metric),
        receipt_due_at = greatest(statement_timestamp() + pause * interval '1 second', not_before)
    WHERE w.key_id = key;
    IF metric IS NULL OR metric IS NOT DISTINCT FROM k.risk_metric THEN RETURN true; END IF;
    PERFORM device_note(k.account_id, NULL, json_build_array(json_build_object(
        'kind', 'risk', 'outcome', CASE WHEN metric > coalesce(k.risk_metric, 1) THEN 'raised' ELSE 'noted' END,
        'detail', json_build_object(
            'keyId', encode(key, 'base64'), 'environment', k.environment, 'metric', metric, 'before', k.risk_metric))));
    IF metric > coalesce(k.risk_metric, 1) THEN
        PERFORM event_announce('device_account', k.account_id, 'device_check.device.risk_raised', json_build_object(
            'accountId', k.account_id, 'keyId', encode(key, 'base64'), 'riskMetric', metric, 'before', k.risk_metric));
    END IF;
    RETURN true;
END $$;
