-- What a buyer was shown, so that nobody agrees to anything else.
-- Locks: flow, ACCESS EXCLUSIVE, not rewritten; it is waited for as long as lock_timeout of the session says. Time: milliseconds. The
-- program of before works on: it neither writes the column nor compares it, and its page's consent is taken by one of now. A flow that
-- it reviews again keeps what was there, which a page of now repeats: nobody is refused for it.

-- HMAC under the return ticket of checkout session, postage, buyer and address: the same for the same content, and no way to test a
-- guess at an address for whoever has the database alone. NULL before the review.
ALTER TABLE flow ADD COLUMN shown bytea;

-- As in 0003, with what the page showed beside its total: `seen` is the mark of that page, or NULL where it does not say.
CREATE FUNCTION place_verdict(
    f flow, b bytea, c bytea, want bigint, seen bytea, meeting boolean, t timestamptz
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN tab_verdict(f, b, t) <> 'live'                              THEN tab_verdict(f, b, t)
        WHEN f.state = 'opened'                                          THEN 'not_reviewed'
        WHEN f.c_hash IS DISTINCT FROM c                                 THEN 'flow_mismatch'
        WHEN f.state = 'declined'                                        THEN 'declined'
        WHEN want <> f.total                                             THEN 'price_changed'
        WHEN seen <> f.shown                                             THEN 'price_changed'
        WHEN meeting AND f.client <> 'browser' AND f.met_at IS NULL      THEN 'not_met'
        ELSE 'placed'
    END
$$;
