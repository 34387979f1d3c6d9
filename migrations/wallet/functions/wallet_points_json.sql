-- version: 1

-- What became of points, as the shop's programs are answered.
CREATE OR REPLACE FUNCTION wallet_points_json(account uuid, points bigint, is_changed boolean, devices bigint) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_build_object('object', 'walletPoints', 'accountId', account, 'points', points, 'changed', is_changed, 'devices', devices)
$$;
