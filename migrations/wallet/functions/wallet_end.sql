-- version: 1

-- Ends a membership: what is known of the person goes at once, and each pass gets a last version that shows nothing of them, with which
-- phones stop asking. ended, repeated for one that has ended, or unknown; devices are woken.
CREATE OR REPLACE FUNCTION wallet_end(account uuid, OUT outcome text, OUT devices bigint)
LANGUAGE plpgsql AS $$
DECLARE
    member wallet_member;
    p wallet_pass;
BEGIN
    devices := 0;
    SELECT * INTO member FROM wallet_member AS m WHERE m.account_id = account FOR NO KEY UPDATE;
    outcome := CASE
        WHEN member.account_id IS NULL   THEN 'unknown'
        WHEN member.ended_at IS NOT NULL THEN 'repeated'
        ELSE 'ended'
    END;
    IF outcome <> 'ended' THEN
        RETURN;
    END IF;
    UPDATE wallet_member AS m SET ended_at = statement_timestamp(), name = NULL, points = 0
    WHERE m.account_id = account;
    FOR p IN SELECT * FROM wallet_pass AS w WHERE w.account_id = account AND NOT w.is_final
        ORDER BY w.pass_type FOR NO KEY UPDATE
    LOOP
        PERFORM wallet_revise(p, (
            SELECT coalesce(jsonb_object_agg(c.key, CASE jsonb_typeof(c.value) WHEN 'number' THEN '0'::jsonb ELSE '""'::jsonb END), '{}')
            FROM jsonb_each(p.content) AS c
        ), true, statement_timestamp());
        devices := devices + p.devices;
    END LOOP;
END $$;
