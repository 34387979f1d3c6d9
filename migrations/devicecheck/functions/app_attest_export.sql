-- version: 1

-- The keys of the apps of an account, for the person; NULL where there are none.
CREATE OR REPLACE FUNCTION app_attest_export(account uuid) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT json_agg(json_build_object(
        'keyId', encode(k.key_id, 'base64'), 'app', k.app, 'environment', k.environment, 'category', k.category,
        'attestedAt', time_text(k.attested_at), 'usedAt', time_text(k.used_at), 'riskMetric', k.risk_metric) ORDER BY k.attested_at)
        FROM app_attest_key AS k WHERE k.account_id = account);
END $$;
