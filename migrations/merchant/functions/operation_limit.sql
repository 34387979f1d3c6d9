-- version: 1

-- The greatest sum that an operation may move on an object; `held` is what charges under a permission hold or have taken.
CREATE OR REPLACE FUNCTION operation_limit(p payment_object, kind text, held bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'capture' THEN p.amount
        WHEN 'create_charge' THEN
            greatest(0, least(p.amount - held, CASE p.currency WHEN 'JPY' THEN 10000000 ELSE 15000000 END))
        WHEN 'refund' THEN greatest(0,
            p.captured + least(p.captured * 15 / 100, CASE p.currency WHEN 'JPY' THEN 8400 ELSE 7500 END)
            - p.refunded - p.reserved)
        ELSE 0
    END
$$;
