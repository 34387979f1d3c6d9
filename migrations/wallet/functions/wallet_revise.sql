-- version: 1

-- Gives a pass another content. What looks the same stays the same version: phones complain when they are woken for nothing. Otherwise
-- it is a new version with a date of its own in whole seconds, and its phones are woken at the given time. Whether it is a new one.
CREATE OR REPLACE FUNCTION wallet_revise(p wallet_pass, fields jsonb, finally boolean, due timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    -- A last version is made of a template that is gone, too: it says that the pass is over.
    looks bytea := coalesce(wallet_digest(p.template, fields, finally), CASE WHEN finally THEN sha256('final') END);
    revised wallet_pass;
BEGIN
    IF looks IS NULL OR looks = p.content_digest THEN
        UPDATE wallet_pass AS w SET content = fields
        WHERE w.pass_type = p.pass_type AND w.serial = p.serial AND w.content IS DISTINCT FROM fields;
        RETURN false;
    END IF;
    UPDATE wallet_pass AS w SET content = fields, content_digest = looks, version = w.version + 1, tag = wallet_tag_new(),
        modified_at = greatest(date_trunc('second', clock_timestamp()), w.modified_at + interval '1 second'),
        is_final = finally, state = CASE WHEN finally THEN 'voided' ELSE w.state END,
        voided_at = CASE WHEN finally THEN coalesce(w.voided_at, statement_timestamp()) ELSE w.voided_at END
    WHERE w.pass_type = p.pass_type AND w.serial = p.serial
    RETURNING w.* INTO revised;
    PERFORM wallet_note(p.pass_type, p.serial, CASE WHEN finally THEN 'voided' ELSE 'updated' END, NULL,
        json_build_object('from', p.version, 'to', revised.version));
    PERFORM wallet_announce(revised, 'wallet.pass.updated');
    IF p.devices > 0 THEN
        PERFORM wallet_push(p.pass_type, ARRAY[p.serial], revised.tag, due);
    END IF;
    RETURN true;
END $$;
