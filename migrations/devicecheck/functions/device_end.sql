-- version: 1

-- Ends a request with what came of it, in one commit: gives what was claimed, once where the purpose is once for an account; notes what
-- the device has shown and what waits now; and writes down what was asked and decided.
-- done; lost for a claim that is another request's by now; used for what the account has had; closed for an account that was erased.
-- `said` has, where they apply: claim (grant, uncertain or drop) with purpose, once, wanted, review and environment; shown, the state that
-- Apple said; written, the state that was written; queue with why, a mark that waits; refused, whether Apple has refused the token;
-- released; reset, whether the code was used; forgive, the highest mark that waits no more since a person has said so; rows for the
-- history.
CREATE OR REPLACE FUNCTION device_end(
    account uuid, flow uuid, said json, OUT outcome text, OUT claim uuid, OUT granted_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
    s record;
    d device_account;
    is_mine boolean;
BEGIN
    SELECT r.* INTO STRICT s FROM json_to_record(said) AS r (
        claim text, purpose text, once boolean, wanted text, review boolean, environment text, shown text, written text, queue text,
        why text, refused boolean,
        released boolean, reset boolean, forgive text, rows json);
    outcome := 'done';
    IF NOT account_is_open(account) THEN
        outcome := 'closed';
        RETURN;
    END IF;
    SELECT * INTO STRICT d FROM device_account AS a WHERE a.account_id = account FOR NO KEY UPDATE;
    -- A request without a lease has nothing to lose.
    is_mine := d.busy_flow = flow;

    IF s.claim = 'grant' THEN
        IF is_mine THEN
            INSERT INTO device_claim AS c (claim_id, account_id, flow_id, begun_at, granted_at, grants, purpose, status, wanted)
            VALUES (id_new(), account, flow, statement_timestamp(), statement_timestamp(), 1, s.purpose, 'granted', s.wanted)
            ON CONFLICT (account_id, purpose) DO UPDATE SET
                flow_id = flow, granted_at = statement_timestamp(), grants = c.grants + 1, status = 'granted', wanted = s.wanted
                WHERE NOT s.once OR c.grants = 0
            RETURNING c.claim_id, c.granted_at INTO claim, granted_at;
            IF claim IS NULL THEN
                outcome := 'used';
            ELSE
                PERFORM event_announce('device_claim', claim, 'device_check.claim.granted', json_build_object(
                    'claimId', claim, 'accountId', account, 'purpose', s.purpose, 'environment', s.environment,
                    'grants', (SELECT c.grants FROM device_claim AS c WHERE c.claim_id = claim), 'needsReview', s.review));
            END IF;
        ELSE
            outcome := 'lost';
        END IF;
    ELSIF s.claim = 'uncertain' THEN
        UPDATE device_claim AS c SET status = 'uncertain' WHERE c.account_id = account AND c.purpose = s.purpose AND c.flow_id = flow;
    ELSIF s.claim = 'drop' THEN
        DELETE FROM device_claim AS c
        WHERE c.account_id = account AND c.purpose = s.purpose AND c.flow_id = flow AND c.grants = 0;
        UPDATE device_claim AS c SET status = 'granted' WHERE c.account_id = account AND c.purpose = s.purpose AND c.flow_id = flow;
    END IF;
    IF claim IS NULL THEN
        SELECT c.claim_id, c.granted_at INTO claim, granted_at FROM device_claim AS c
        WHERE c.account_id = account AND c.purpose = s.purpose AND c.grants > 0;
    END IF;

    -- What Apple has shown need not wait. What was written need not, either, where no other writer could have wiped out more.
    IF device_rank(d.queued) <= greatest(
        device_rank(s.shown), device_rank(s.forgive), CASE s.written WHEN 'known' THEN 1 WHEN 'trial-used' THEN 2 ELSE 0 END)
    THEN
        d.queued := NULL;
    END IF;
    IF device_rank(s.queue) > device_rank(d.queued) THEN
        d.queued := s.queue;
        d.queued_for := s.why;
        d.queued_at := statement_timestamp();
    END IF;
    UPDATE device_account AS a SET
        busy_until = CASE WHEN is_mine THEN NULL ELSE a.busy_until END,
        queued = d.queued,
        queued_for = CASE WHEN d.queued IS NOT NULL THEN d.queued_for END,
        queued_at = CASE WHEN d.queued IS NOT NULL THEN d.queued_at END,
        refusals = CASE
            WHEN NOT coalesce(s.refused, false)                                THEN 0
            WHEN a.refused_at > statement_timestamp() - interval '2 minutes'   THEN a.refusals + 1
            ELSE 1
        END,
        refused_at = CASE WHEN s.refused THEN statement_timestamp() ELSE a.refused_at END,
        released_at = CASE WHEN s.released THEN statement_timestamp() ELSE a.released_at END,
        reset_hash = CASE WHEN s.reset THEN NULL ELSE a.reset_hash END,
        reset_until = CASE WHEN s.reset THEN NULL ELSE a.reset_until END,
        reset_operator = CASE WHEN s.reset THEN NULL ELSE a.reset_operator END,
        reset_reason = CASE WHEN s.reset THEN NULL ELSE a.reset_reason END
    WHERE a.account_id = account;

    PERFORM device_note(account, flow, s.rows);
    IF s.reset THEN
        PERFORM event_announce('device_account', account, 'device_check.device.reset', json_build_object('accountId', account));
    END IF;
END $$;
