-- version: 1

-- Begins a request of an account that talks to Apple, and gives what counts beside the device. ready; closed for an account that is erased
-- or unknown; busy while another request of it talks to Apple, with the seconds to wait; replayed for a token that was shown before.
-- A token is shown once, and once more in the flow of a check that is two minutes old at most. Without `lease` nobody is kept waiting.
-- `aim` is a purpose, for what the account had for it, and how far it came: a claim that is older than `finish` is none.
CREATE OR REPLACE FUNCTION device_begin(
    account uuid, fresh uuid, known uuid, digest bytea, finishes boolean, aim text, lease bigint, finish bigint,
    OUT outcome text, OUT flow uuid, OUT wait bigint, OUT queued text, OUT is_taken boolean, OUT pending text, OUT pending_at timestamptz,
    OUT refusals integer
)
LANGUAGE plpgsql AS $$
DECLARE
    d device_account;
    c device_claim;
BEGIN
    flow := fresh;
    wait := 0;
    is_taken := false;
    refusals := 0;
    IF NOT account_is_open(account) THEN
        outcome := 'closed';
        RETURN;
    END IF;
    INSERT INTO device_account (account_id, refusals) VALUES (account, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT d FROM device_account AS a WHERE a.account_id = account FOR NO KEY UPDATE;
    IF lease > 0 AND d.busy_until > statement_timestamp() THEN
        outcome := 'busy';
        wait := ceil(extract(epoch FROM d.busy_until - statement_timestamp()));
        RETURN;
    END IF;
    IF digest IS NOT NULL THEN
        INSERT INTO device_token (flow_id, seen_at, token_hash, is_finished) VALUES (fresh, statement_timestamp(), digest, finishes)
        ON CONFLICT (token_hash) DO NOTHING;
        IF NOT FOUND THEN
            UPDATE device_token AS t SET is_finished = true
            WHERE t.token_hash = digest AND t.flow_id = known AND NOT t.is_finished AND finishes
                AND t.seen_at > statement_timestamp() - interval '2 minutes';
            IF NOT FOUND THEN
                outcome := 'replayed';
                RETURN;
            END IF;
            flow := known;
        END IF;
    END IF;
    IF lease > 0 THEN
        UPDATE device_account AS a SET busy_flow = flow, busy_until = statement_timestamp() + lease * interval '1 second'
        WHERE a.account_id = account;
    END IF;
    SELECT * INTO c FROM device_claim AS w WHERE w.account_id = account AND w.purpose = aim;
    IF FOUND THEN
        is_taken := c.grants > 0;
        IF c.status <> 'granted' AND c.begun_at > statement_timestamp() - finish * interval '1 second' THEN
            pending := c.wanted;
            pending_at := c.begun_at;
        END IF;
    END IF;
    queued := d.queued;
    IF d.refused_at > statement_timestamp() - interval '2 minutes' THEN refusals := d.refusals; END IF;
    outcome := 'ready';
END $$;
