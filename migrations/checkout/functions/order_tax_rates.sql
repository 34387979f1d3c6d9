-- version: 1

-- What is paid at each rate of tax, the postage included where it is known, and the tax in it, rounded down once: the same as TaxBases
-- of the program. Rates at which nothing is paid have no row, and an order whose prices exclude tax has none at all.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_tax_rates(taxes json, postage bigint) RETURNS TABLE (rate integer, taxable bigint, amount bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF taxes IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT b.rate, b.taxable, b.taxable * b.rate / (100 + b.rate)
        FROM (
            SELECT v.rate, (taxes ->> v.rate::text)::bigint
                + CASE (taxes ->> 'postage')::integer WHEN v.rate THEN coalesce(postage, 0) ELSE 0 END AS taxable
            FROM (VALUES (10), (8), (0)) AS v (rate)) AS b
        WHERE b.taxable > 0;
END $$;
