-- version: 1

-- Notes what a template is now; where it is another one than before, its passes are to be revised. Whether it is.
CREATE OR REPLACE FUNCTION wallet_template_set(name text, type text, looks bytea, names json) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    shown text[] := ARRAY(SELECT json_array_elements_text(names) ORDER BY 1);
BEGIN
    INSERT INTO wallet_template AS t (template, pass_type, digest, uses, revise_after) VALUES (name, type, looks, shown, '')
    ON CONFLICT (template) DO UPDATE SET pass_type = type, digest = looks, uses = shown, revise_after = ''
    WHERE (t.pass_type, t.digest, t.uses) IS DISTINCT FROM (type, looks, shown);
    RETURN FOUND;
END $$;
