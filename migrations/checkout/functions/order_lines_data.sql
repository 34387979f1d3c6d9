-- version: 1

-- The lines of an order as the API shows them.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_lines_data(lines json, currency text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT json_agg(json_strip_nulls(json_build_object(
            'id', l ->> 'id', 'name', l ->> 'name', 'unitPrice', money_json((l ->> 'unitPrice')::bigint, currency),
            'quantity', l -> 'quantity', 'taxRate', l -> 'taxRate', 'sum', money_json((l ->> 'sum')::bigint, currency))))
        FROM json_array_elements(lines) AS l);
END $$;
