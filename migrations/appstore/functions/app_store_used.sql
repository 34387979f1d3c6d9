-- version: 1

-- How many of the units that were granted for a purchase were spent, where the oldest are spent first.
CREATE OR REPLACE FUNCTION app_store_used(ledger uuid, purchase uuid, granted bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT greatest(0, least(granted, sums.spent - sums.older)) FROM (
        SELECT coalesce(-sum(e.units) FILTER (WHERE e.kind = 'spend'), 0)::bigint AS spent,
            coalesce(sum(e.units) FILTER (WHERE e.kind <> 'spend' AND e.sequence < (
                SELECT min(f.sequence) FROM app_store_entry AS f
                WHERE f.ledger_id = ledger AND f.purchase_id = purchase AND f.kind = 'purchase')), 0)::bigint AS older
        FROM app_store_entry AS e WHERE e.ledger_id = ledger
    ) AS sums
$$;
