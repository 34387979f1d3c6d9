-- version: 1

-- What an account has, as programs and apps are answered: the sum, and what of it can be spent.
CREATE OR REPLACE FUNCTION app_store_balance_json(account uuid, realm text, units bigint) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object(
        'object', 'appStoreBalance', 'accountId', account, 'environment', realm, 'units', units, 'spendable', greatest(units, 0))
$$;
