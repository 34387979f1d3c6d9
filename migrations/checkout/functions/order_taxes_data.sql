-- version: 1

-- The tax of an order per rate as the API shows it, or NULL where its prices exclude tax.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_taxes_data(taxes json, postage bigint, currency text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF taxes IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT coalesce(json_agg(json_build_object(
            'rate', t.rate, 'taxable', money_json(t.taxable, currency), 'amount', money_json(t.amount, currency)) ORDER BY t.rate DESC), '[]')
        FROM order_tax_rates(taxes, postage) AS t);
END $$;
