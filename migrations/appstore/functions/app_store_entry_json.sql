-- version: 1

-- An entry of a ledger, as programs are shown it.
CREATE OR REPLACE FUNCTION app_store_entry_json(e app_store_entry) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_strip_nulls(json_build_object(
        'object', 'appStoreEntry', 'sequence', e.sequence, 'at', time_text(e.at), 'kind', e.kind, 'units', e.units,
        'balance', e.balance, 'purchaseId', e.purchase_id, 'reference', e.reference))
$$;
