-- version: 1

-- The adjustments of an order as the API shows them.
CREATE OR REPLACE FUNCTION order_adjustments_data(adjustments json, currency text) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_agg(json_build_object('name', a ->> 'name', 'amount', money_json((a ->> 'amount')::bigint, currency)))
    FROM json_array_elements(adjustments) AS a
$$;
