-- version: 1

-- Sets the points of a member, or adds to them, and revises the passes.
-- changed, unchanged, unknown, ended, too_few or too_many; points are those of afterwards, devices are woken.
CREATE OR REPLACE FUNCTION wallet_points(
    account uuid, number bigint, is_sum boolean, OUT outcome text, OUT points bigint, OUT devices bigint
)
LANGUAGE plpgsql AS $$
DECLARE
    member wallet_member;
    p wallet_pass;
BEGIN
    devices := 0;
    SELECT * INTO member FROM wallet_member AS m WHERE m.account_id = account FOR NO KEY UPDATE;
    points := CASE WHEN is_sum THEN member.points + number ELSE number END;
    outcome := CASE
        WHEN member.account_id IS NULL   THEN 'unknown'
        WHEN member.ended_at IS NOT NULL THEN 'ended'
        WHEN points < 0                  THEN 'too_few'
        WHEN points > 999999999          THEN 'too_many'
        WHEN points = member.points      THEN 'unchanged'
        ELSE 'changed'
    END;
    IF outcome <> 'changed' THEN
        points := member.points;
        RETURN;
    END IF;
    UPDATE wallet_member AS m SET points = wallet_points.points WHERE m.account_id = account;
    FOR p IN SELECT * FROM wallet_pass AS w WHERE w.account_id = account AND NOT w.is_final
        ORDER BY w.pass_type FOR NO KEY UPDATE
    LOOP
        IF wallet_revise(p, p.content || jsonb_build_object('points', points), false, statement_timestamp()) THEN
            devices := devices + p.devices;
        END IF;
    END LOOP;
END $$;
