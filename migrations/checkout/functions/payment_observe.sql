-- version: 1

-- Takes in what was read of an object: as payment_apply, or `unknown` where no order has it or what it stands under.
CREATE OR REPLACE FUNCTION payment_observe(
    seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text, taken bigint,
    given bigint, born timestamptz, OUT verdict text, OUT flow uuid
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.flow_id INTO flow FROM payment_object AS p WHERE p.object_id IN (id, above) ORDER BY p.object_id <> id LIMIT 1;
    IF flow IS NOT NULL THEN
        PERFORM FROM merchant_order AS o WHERE o.flow_id = flow FOR UPDATE;
    END IF;
    IF flow IS NULL OR NOT FOUND THEN
        verdict := 'unknown';
        RETURN;
    END IF;
    verdict := payment_apply(flow, seen_kind, id, above, word, why, since, sum, money, taken, given, born);
END $$;
