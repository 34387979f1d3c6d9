-- version: 1

-- A sum, as the API writes it.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION money_json(units bigint, currency text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN units IS NOT NULL THEN json_build_object(
        'amount', CASE currency WHEN 'JPY' THEN units::text
            ELSE (units / 100)::text || '.' || lpad((units % 100)::text, 2, '0') END,
        'currencyCode', currency) END;
END $$;
