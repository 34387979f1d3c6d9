-- version: 1

-- Has all phones with passes of a type woken, little by little. Whether there is such a type.
CREATE OR REPLACE FUNCTION wallet_wake_all(type text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE wallet_template AS t SET wake_after = ''
    WHERE t.template = (SELECT min(w.template) FROM wallet_template AS w WHERE w.pass_type = type);
    RETURN FOUND;
END $$;
