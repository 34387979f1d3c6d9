-- version: 1

-- What becomes of a provider's session that the buyer came back to an app with. The proofs, the deadline and the state are judged as
-- for a purchase: what that calls another session is the one that a webview session which waits is waiting for.
CREATE OR REPLACE FUNCTION mobile_return_outcome(
    f webview_session, app_hash bytea, challenge bytea, ref text, bound boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN buy_outcome(f, app_hash, challenge, NULL, NULL, ref, NULL, bound, t) = 'order_mismatch' AND is_waiting(f.state) THEN 'arrived'
        WHEN buy_outcome(f, app_hash, challenge, NULL, NULL, ref, NULL, bound, t)
            IN ('begin', 'in_progress', 'recover', 'replayed')                                                               THEN 'present'
        ELSE buy_outcome(f, app_hash, challenge, NULL, NULL, ref, NULL, bound, t)
    END
$$;
