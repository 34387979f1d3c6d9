-- version: 1

-- Goes on with the walk of one template through the passes of its type: revises them, or only has their phones woken. So many a second
-- are woken, so that their downloads do not come at once, and whoever calls waits for as long. A walk outlives its process; where
-- another one is at it, nothing is done. Gives how many phones are woken, and whether nothing is left to do.
CREATE OR REPLACE FUNCTION wallet_walk(rate integer, pass_limit integer, OUT woken integer, OUT is_done boolean)
LANGUAGE plpgsql AS $$
DECLARE
    t wallet_template;
    p wallet_pass;
    last text;
    due timestamptz;
BEGIN
    woken := 0;
    SELECT * INTO t FROM wallet_template AS w WHERE w.revise_after IS NOT NULL OR w.wake_after IS NOT NULL
        ORDER BY w.template LIMIT 1 FOR UPDATE SKIP LOCKED;
    is_done := NOT FOUND;
    IF is_done THEN
        RETURN;
    END IF;
    FOR p IN SELECT * FROM wallet_pass AS w
        WHERE w.pass_type = t.pass_type AND w.serial > coalesce(t.revise_after, t.wake_after)
        ORDER BY w.serial LIMIT pass_limit FOR NO KEY UPDATE
    LOOP
        last := p.serial;
        due := statement_timestamp() + woken * interval '1 second' / rate;
        IF t.revise_after IS NULL THEN
            CONTINUE WHEN p.devices = 0;
            PERFORM wallet_push(p.pass_type, ARRAY[p.serial], p.tag, due);
            woken := woken + p.devices;
        ELSIF p.template = t.template AND NOT p.is_final AND wallet_revise(p, p.content, false, due) THEN
            woken := woken + p.devices;
        END IF;
    END LOOP;
    UPDATE wallet_template AS w SET
        revise_after = CASE WHEN t.revise_after IS NOT NULL THEN last END,
        wake_after = CASE WHEN t.revise_after IS NOT NULL THEN w.wake_after ELSE last END
    WHERE w.template = t.template;
END $$;
