-- A message about a payment whose purchase has not come to its end brings the next look at that purchase forward, and a permission
-- has one charge at a time, as the provider has it. And a report that was cut off is gone on with.
-- Locks: notification, flow_purchasing and reconciliation_run, ACCESS EXCLUSIVE, not rewritten. Time: milliseconds. The program of
-- before works on: it looks when the pause is over, as it did, takes the new refusal for what it is, and begins its reports anew.

-- In the order in which a purchase that is settled takes them: with another one both would wait for each other.
LOCK TABLE flow_purchasing, notification IN ACCESS EXCLUSIVE MODE;

-- Whether the permission behind it was looked up, to find a purchase that waits; each message causes one such question at most.
ALTER TABLE notification ADD COLUMN asked boolean NOT NULL DEFAULT false;

-- Whether a message asked for the next look; such a look is none of the schedule's.
ALTER TABLE flow_purchasing ADD COLUMN woken boolean NOT NULL DEFAULT false;

-- As in 0009, but with one charge at a time.
CREATE OR REPLACE FUNCTION operation_verdict(
    p payment_object, kind text, sum bigint, money text, held bigint, charges bigint, open_charges bigint, cancels boolean
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        -- What keeps it from being charged is known.
        WHEN kind = 'create_charge' AND p.kind = 'permission' AND p.state = 'NonChargeable' AND open_charges > 0
                                                                                THEN 'open_charges'
        WHEN NOT CASE kind
            WHEN 'finalize' THEN p.kind = 'session' AND p.state = 'Open'
            WHEN 'create_charge' THEN p.kind = 'permission' AND p.state = 'Chargeable'
            WHEN 'close_permission' THEN p.kind = 'permission' AND p.state <> 'Closed'
            WHEN 'capture' THEN p.kind = 'charge' AND p.state = 'Authorized'
            WHEN 'refund' THEN p.kind = 'charge' AND p.state = 'Captured'
            WHEN 'cancel_charge' THEN p.kind = 'charge' AND p.state IN ('Authorized', 'AuthorizationInitiated')
            ELSE false
        END                                                                     THEN 'wrong_state'
        WHEN p.open_operation IS NOT NULL                                       THEN 'in_progress'
        WHEN sum <= 0                                                           THEN 'nothing'
        WHEN sum IS NOT NULL AND money <> p.currency                            THEN 'other_currency'
        WHEN sum > operation_limit(p, kind, held)                               THEN 'exceeds'
        WHEN kind = 'finalize' AND sum <> p.amount                              THEN 'other_amount'
        WHEN kind = 'create_charge' AND charges >= 25                           THEN 'too_many_charges'
        WHEN kind = 'create_charge' AND open_charges > 0                        THEN 'open_charges'
        WHEN kind = 'close_permission' AND NOT cancels AND open_charges > 0     THEN 'open_charges'
        ELSE 'begun'
    END
$$;

-- What a report was asked for, and how far it has come.
ALTER TABLE reconciliation_run
    ADD COLUMN since_at   timestamptz,               -- of orders from then on
    ADD COLUMN until_at   timestamptz,               -- and before
    ADD COLUMN attempt_id uuid,                      -- fences whoever goes on with it
    ADD COLUMN reached    uuid,                      -- the order that was compared last, newest first
    ADD COLUMN orders     bigint NOT NULL DEFAULT 0,
    ADD COLUMN repairs    boolean;                   -- whether the ledger took in what differed
