-- Sessions that a merchant's app starts by itself, with the provider's library: there is no tab of ours, and both halves come
-- back to the merchant's server.
-- Locks: creates a function, and a value that nothing uses yet. Time: milliseconds. A program of before cannot read a flow of the
-- new client: migrate, restart all, then open such sessions.

-- No statement of this file may use it: a new value is only there after the commit.
ALTER TYPE flow_client ADD VALUE 'mobileApp';

-- What becomes of a provider's session that the buyer came back to an app with. The proofs, the deadline and the state are judged as
-- for a purchase: what that calls another session is the one that a flow which waits is waiting for.
CREATE FUNCTION arrive_verdict(
    f flow, p bytea, challenge bytea, ref text, bound boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN buy_verdict(f, p, challenge, NULL, NULL, ref, NULL, bound, t) = 'order_mismatch' AND is_waiting(f.state) THEN 'arrived'
        WHEN buy_verdict(f, p, challenge, NULL, NULL, ref, NULL, bound, t)
            IN ('begin', 'in_progress', 'recover', 'replayed')                                                        THEN 'present'
        ELSE buy_verdict(f, p, challenge, NULL, NULL, ref, NULL, bound, t)
    END
$$;
