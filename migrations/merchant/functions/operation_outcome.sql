-- version: 1

-- Whether an operation may begin. `charges` and `open_charges` stand under a permission, which has one open charge at a time; `cancels` is
-- whether a close ends them too.
CREATE OR REPLACE FUNCTION operation_outcome(
    p payment_object, kind text, sum bigint, money text, held bigint, charges bigint, open_charges bigint, cancels boolean
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        -- What keeps it from being charged is known.
        WHEN kind = 'create_charge' AND p.kind = 'permission' AND p.state = 'NonChargeable' AND open_charges > 0
                                                                                THEN 'open_charges'
        WHEN NOT CASE kind
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
        WHEN kind = 'create_charge' AND charges >= 25                           THEN 'too_many_charges'
        WHEN kind = 'create_charge' AND open_charges > 0                        THEN 'open_charges'
        WHEN kind = 'close_permission' AND NOT cancels AND open_charges > 0     THEN 'open_charges'
        ELSE 'begun'
    END
$$;
