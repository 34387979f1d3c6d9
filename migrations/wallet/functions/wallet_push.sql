-- version: 1

-- Has the phones woken on which some passes of a type are, at the earliest at that time. A phone that has two names with one token is
-- woken by the later one. A push that waits already becomes due earlier, not later; one that is on its way is followed by another.
-- Where the clock was set back, what is there of a time to come keeps nothing away.
CREATE OR REPLACE FUNCTION wallet_push(type text, serials text[], wanted bigint, due timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet_push_job AS j (due_at, not_before, since, wanted, attempts, is_again, is_sent, device, pass_type)
    SELECT due, statement_timestamp(), statement_timestamp(), wallet_push.wanted, 0, false, false, p.device, type
    FROM (
        SELECT DISTINCT ON (d.push_token) d.device
        FROM wallet_registration AS r JOIN wallet_device AS d ON d.device = r.device AND d.pass_type = r.pass_type
        WHERE r.pass_type = type AND r.serial = ANY (serials)
        ORDER BY d.push_token, d.token_at DESC, d.device) AS p
    -- In one order, so that two changes do not wait for each other.
    ORDER BY p.device
    ON CONFLICT (device, pass_type) DO UPDATE SET
        wanted = greatest(j.wanted, excluded.wanted),
        since = CASE WHEN j.is_sent OR j.claim_id IS NOT NULL OR j.attempts > 0 THEN excluded.since
            ELSE least(j.since, excluded.since) END,
        due_at = CASE
            WHEN j.claim_id IS NOT NULL THEN j.due_at
            WHEN j.since > statement_timestamp() THEN excluded.due_at
            WHEN j.is_sent THEN greatest(j.not_before, excluded.due_at)
            ELSE greatest(j.not_before, least(j.due_at, excluded.due_at)) END,
        is_again = j.claim_id IS NOT NULL,
        is_sent = false;
END $$;
