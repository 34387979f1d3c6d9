-- version: 1

-- The lines of an order of the program's own shop, from the cart of its webview session.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_lines(cart json) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT json_agg(json_build_object(
            'id', l ->> 'id', 'name', l ->> 'name', 'unitPrice', (l ->> 'price')::bigint, 'quantity', (l ->> 'quantity')::bigint,
            'taxRate', l -> 'rate', 'sum', (l ->> 'price')::bigint * (l ->> 'quantity')::bigint))
        FROM json_array_elements(cart) AS l);
END $$;
