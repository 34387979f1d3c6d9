-- version: 1

-- The lines of an order as the API shows them.
CREATE OR REPLACE FUNCTION order_lines_data(lines json, currency text) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_agg(json_build_object(
        'id', l ->> 'id', 'name', l ->> 'name', 'unitPrice', money_json((l ->> 'unitPrice')::bigint, currency),
        'quantity', l -> 'quantity', 'sum', money_json((l ->> 'sum')::bigint, currency)))
    FROM json_array_elements(lines) AS l
$$;
