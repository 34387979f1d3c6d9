-- version: 1

-- The adjustments of an order as the API shows them.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_adjustments_data(adjustments json, currency text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT json_agg(json_strip_nulls(json_build_object(
            'name', a ->> 'name', 'amount', money_json((a ->> 'amount')::bigint, currency), 'taxRate', a -> 'taxRate')))
        FROM json_array_elements(adjustments) AS a);
END $$;
