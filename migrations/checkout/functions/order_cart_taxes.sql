-- version: 1

-- What is paid at each rate of tax in an order of the program's own shop, from the cart of its webview session; NULL where the prices
-- exclude tax. Such an order has no adjustments, and its postage is taxed at the standard rate.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_cart_taxes(cart json) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF cart -> 0 -> 'rate' IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT json_build_object(
            '10', coalesce(sum(l.paid) FILTER (WHERE l.rate = 10), 0)::bigint,
            '8', coalesce(sum(l.paid) FILTER (WHERE l.rate = 8), 0)::bigint,
            '0', coalesce(sum(l.paid) FILTER (WHERE l.rate = 0), 0)::bigint, 'postage', 10)
        FROM (
            SELECT (c ->> 'rate')::integer AS rate, (c ->> 'price')::bigint * (c ->> 'quantity')::bigint AS paid
            FROM json_array_elements(cart) AS c) AS l);
END $$;
