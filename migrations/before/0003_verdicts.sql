-- The decisions of the state machine: pure functions of a row, of what is presented, and of the time.
-- Locks: creates functions only. Time: milliseconds.
--
-- They take the row as it is when it is locked and are inlined into the statements that call them, which takes that they are
-- immutable: no function here may call one that is only stable, `timestamptz + interval` included.
-- docs/schema.md holds the whole table of states and verdicts.

-- Whether a flow waits for somebody: it may expire, be revoked and be cancelled.
CREATE FUNCTION is_waiting(state flow_state) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT state IN ('issued', 'opened', 'reviewed', 'placed', 'declined')
$$;

-- What a launch ticket opens. b and p are the hashes of the tab cookie and the app cookie, NULL where there is none.
CREATE FUNCTION open_verdict(f flow, b bytea, p bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN f.state IN ('revoked', 'expired', 'cancelled')               THEN 'dead'
        WHEN f.state IN ('purchasing', 'authorized')                      THEN 'finished'
        WHEN t >= least(f.idle_until, f.absolute_until)                   THEN 'expired'
        WHEN f.client = 'browser' AND f.app_hash IS NOT NULL
             AND p IS DISTINCT FROM f.app_hash                            THEN 'wrong_browser'
        WHEN f.state = 'issued'
             THEN CASE WHEN t < f.launch_until THEN 'opened' ELSE 'expired' END
        WHEN b = f.b_hash                                                 THEN 'same_tab'
        WHEN f.state = 'declined'                                         THEN 'finished'
        WHEN f.state = 'opened' AND f.b_seen_at IS NULL
             AND f.b_prev_hash IS NULL AND t < f.launch_until             THEN 'reopened'
        ELSE 'reused'
    END
$$;

-- What a tab token is worth; b is its hash, which is the live one or the orphan's.
CREATE FUNCTION tab_verdict(f flow, b bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN f.state IN ('issued', 'authorized', 'revoked', 'expired', 'cancelled') THEN 'closed'
        WHEN f.state = 'purchasing'
             THEN CASE WHEN b = f.b_hash THEN 'read_only' ELSE 'closed' END
        WHEN f.b_hash IS DISTINCT FROM b                                            THEN 'orphan'
        WHEN t >= least(f.idle_until, f.absolute_until)                             THEN 'expired'
        ELSE 'live'
    END
$$;

-- What becomes of a provider's session that the buyer came back with.
CREATE FUNCTION review_verdict(f flow, b bytea, ref text, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_verdict(f, b, t) <> 'live'                 THEN tab_verdict(f, b, t)
        WHEN f.state = 'placed' AND f.order_ref <> ref      THEN 'order_mismatch'
        WHEN f.state = 'declined' AND f.order_ref = ref     THEN 'declined'
        ELSE 'reviewed'
    END
$$;

-- What becomes of the buyer's consent. c is the hash of the return ticket, want the total the page showed or NULL,
-- meeting whether an app client must have been back at the app before.
CREATE FUNCTION place_verdict(f flow, b bytea, c bytea, want bigint, meeting boolean, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_verdict(f, b, t) <> 'live'                              THEN tab_verdict(f, b, t)
        WHEN f.state = 'opened'                                          THEN 'not_reviewed'
        WHEN f.c_hash IS DISTINCT FROM c                                 THEN 'flow_mismatch'
        WHEN f.state = 'declined'                                        THEN 'declined'
        WHEN want <> f.total                                             THEN 'price_changed'
        WHEN meeting AND f.client <> 'browser' AND f.met_at IS NULL      THEN 'not_met'
        ELSE 'placed'
    END
$$;

-- What a purchase request is answered: the proofs first, then the state. p, a and b are hashes of the app cookie, the old launch
-- ticket and the tab cookie, challenge that of the verifier, each NULL where there is none; want is the total the page showed or
-- NULL; bound whether a flow without any proof of the app is refused.
CREATE FUNCTION buy_verdict(
    f flow, p bytea, challenge bytea, a bytea, b bytea, ref text, want bigint, bound boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN (f.client = 'browser' AND b IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND p IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NULL AND f.challenge IS NULL AND bound)
          OR (f.challenge IS NOT NULL AND challenge IS NULL)               THEN 'proof_required'
        WHEN (f.client = 'browser' AND b IS DISTINCT FROM f.b_hash)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND p IS DISTINCT FROM f.app_hash)
          OR (f.challenge IS NOT NULL AND challenge IS DISTINCT FROM f.challenge)
          OR (a IS NOT NULL AND a IS DISTINCT FROM f.a_hash)               THEN 'proof_mismatch'
        WHEN f.state = 'authorized'
             THEN CASE WHEN ref = f.order_ref THEN 'replayed' ELSE 'order_mismatch' END
        WHEN f.state IN ('revoked', 'expired', 'cancelled')                THEN 'dead'
        WHEN f.state <> 'purchasing'
             AND t >= least(f.idle_until, f.absolute_until)                THEN 'expired'
        WHEN f.total IS NULL                                               THEN 'not_priced'
        WHEN f.order_ref IS DISTINCT FROM ref                              THEN 'order_mismatch'
        WHEN want <> f.total                                               THEN 'price_changed'
        WHEN f.state = 'purchasing'
             THEN CASE WHEN t < f.lease_until THEN 'in_progress' ELSE 'recover' END
        WHEN f.state = 'placed'                                            THEN 'begin'
        WHEN f.state = 'declined'                                          THEN 'declined'
        ELSE 'not_ready'
    END
$$;

-- What a receipt request is answered: the proofs first, so that a stranger learns nothing.
CREATE FUNCTION receipt_verdict(f flow, p bytea, b bytea, t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN (f.client = 'browser' AND b IS NULL)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL AND p IS NULL) THEN 'proof_required'
        WHEN (f.client = 'browser' AND b IS DISTINCT FROM f.b_hash)
          OR (f.client <> 'browser' AND f.app_hash IS NOT NULL
              AND p IS DISTINCT FROM f.app_hash)                              THEN 'proof_mismatch'
        WHEN f.state IN ('revoked', 'expired', 'cancelled')                   THEN 'dead'
        WHEN f.state <> 'authorized'                                          THEN 'not_ready'
        WHEN t >= f.receipt_until                                             THEN 'over'
        ELSE 'shown'
    END
$$;
