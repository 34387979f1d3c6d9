-- version: 1

-- A member with their passes; state is that of the newest pass. NULL for whoever is none.
CREATE OR REPLACE FUNCTION wallet_member_json(account uuid, is_whole boolean) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT json_strip_nulls(json_build_object(
            'object', 'walletMember', 'accountId', m.account_id, 'externalId', a.external_id, 'name', m.name,
            'points', m.points, 'createdAt', time_text(m.created_at), 'endedAt', time_text(m.ended_at),
            'state', (
                SELECT p.state FROM wallet_pass AS p WHERE p.account_id = account ORDER BY p.created_at DESC, p.pass_type LIMIT 1
            ),
            'passes', (
                SELECT coalesce(json_agg(wallet_pass_json(p, is_whole) ORDER BY p.created_at, p.pass_type), '[]')
                FROM wallet_pass AS p WHERE p.account_id = account
            )))
        FROM wallet_member AS m JOIN account AS a USING (account_id) WHERE m.account_id = account);
END $$;
