-- version: 1

-- The tax of an order: what comes on top of its lines, or what all its sums contain where the prices include tax.
-- In plpgsql, which keeps its plan (migrations/README.md).
CREATE OR REPLACE FUNCTION order_tax(tax bigint, taxes json, postage bigint) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF taxes IS NULL THEN
        RETURN tax;
    END IF;
    RETURN (SELECT coalesce(sum(t.amount), 0)::bigint FROM order_tax_rates(taxes, postage) AS t);
END $$;
