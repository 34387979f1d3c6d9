-- version: 1

-- Writes down what became of pushes: an array of objects with their place n, device, type, claim, pause in milliseconds, whether the push
-- ended, whether the try counts, status and reason. Gives the places of those whose rows somebody else has locked; one whose claim is
-- another's is passed over. In a loop, so that each is found by its key however the table is planned for.
CREATE OR REPLACE FUNCTION wallet_push_settle(results json) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    s record;
    heard bigint;
BEGIN
    FOR s IN SELECT * FROM json_to_recordset(results) AS r (n bigint, device text, type text, claim uuid, pause bigint,
        ended boolean, counts boolean, status integer, reason text) ORDER BY r.device, r.type
    LOOP
        SELECT j.wanted INTO heard FROM wallet_push_job AS j
        WHERE j.device = s.device AND j.pass_type = s.type AND j.claim_id = s.claim FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            UPDATE wallet_push_job AS j SET claim_id = NULL, is_again = false, is_sent = s.ended AND NOT j.is_again,
                attempts = CASE WHEN s.ended THEN 0 WHEN s.counts THEN j.attempts + 1 ELSE j.attempts END,
                due_at = statement_timestamp() + s.pause * interval '1 millisecond',
                not_before = statement_timestamp() + s.pause * interval '1 millisecond',
                last_status = s.status, last_reason = s.reason
            WHERE j.device = s.device AND j.pass_type = s.type;
            -- For people: a phone that is registering at this moment has locked its row, and waits for the push.
            PERFORM FROM wallet_device AS d WHERE d.device = s.device AND d.pass_type = s.type FOR NO KEY UPDATE SKIP LOCKED;
            IF FOUND THEN
                UPDATE wallet_device AS d SET pushed_at = statement_timestamp(), push_status = s.status, push_reason = s.reason,
                    accepted_at = CASE WHEN s.status = 200 THEN statement_timestamp() ELSE d.accepted_at END
                WHERE d.device = s.device AND d.pass_type = s.type;
            END IF;
            -- With the passes that have changed last; the phone hears of them.
            IF s.ended THEN
                PERFORM wallet_note(s.type, p.serial, CASE WHEN s.status = 200 THEN 'pushed' ELSE 'push_failed' END, s.device,
                    json_strip_nulls(json_build_object('status', s.status, 'reason', s.reason)))
                FROM wallet_registration AS r JOIN wallet_pass AS p ON p.pass_type = r.pass_type AND p.serial = r.serial
                WHERE r.device = s.device AND r.pass_type = s.type AND p.tag >= heard;
            END IF;
        ELSIF EXISTS (
            SELECT FROM wallet_push_job AS j WHERE j.device = s.device AND j.pass_type = s.type AND j.claim_id = s.claim
        ) THEN
            RETURN NEXT s.n;
        END IF;
    END LOOP;
END $$;
