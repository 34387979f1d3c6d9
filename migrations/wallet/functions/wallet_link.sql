-- version: 1

-- Gives a member another download link; that of before is dead. renewed with the number of the link, ended or unknown.
CREATE OR REPLACE FUNCTION wallet_link(account uuid, secret integer, OUT outcome text, OUT number integer)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE wallet_member AS m SET link_secret = secret, link_number = m.link_number + 1, link_at = statement_timestamp()
    WHERE m.account_id = account AND m.ended_at IS NULL
    RETURNING m.link_number INTO number;
    outcome := CASE
        WHEN number IS NOT NULL                                                        THEN 'renewed'
        WHEN EXISTS (SELECT FROM wallet_member AS m WHERE m.account_id = account)       THEN 'ended'
        ELSE 'unknown'
    END;
END $$;
