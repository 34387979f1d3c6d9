-- version: 1

-- Stands for what a pass looks like: its template, and of its content what the template shows. NULL for a template that is not known.
CREATE OR REPLACE FUNCTION wallet_digest(name text, content jsonb, is_final boolean) RETURNS bytea
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT sha256(t.digest || convert_to(is_final || coalesce(
            (SELECT jsonb_object_agg(c.key, c.value) FROM jsonb_each(content) AS c WHERE c.key = ANY (t.uses)), '{}'::jsonb
        )::text, 'UTF8'))
        FROM wallet_template AS t WHERE t.template = name);
END $$;
