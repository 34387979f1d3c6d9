-- version: 1

-- Notes which versions were fetched, some at once: an array of objects with type, serial, version, by a link or by a phone.
CREATE OR REPLACE FUNCTION wallet_fetched(fetches json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    f record;
    opened timestamptz;
BEGIN
    FOR f IN SELECT * FROM json_to_recordset(fetches) AS r (type text, serial text, version integer, link boolean)
        ORDER BY r.type, r.serial, r.version
    LOOP
        SELECT p.link_opened_at INTO opened FROM wallet_pass AS p
        WHERE p.pass_type = f.type AND p.serial = f.serial FOR NO KEY UPDATE;
        CONTINUE WHEN NOT FOUND;
        UPDATE wallet_pass AS p SET fetched_at = statement_timestamp(), fetched_version = f.version,
            link_opened_at = CASE WHEN f.link THEN coalesce(opened, statement_timestamp()) ELSE opened END
        WHERE p.pass_type = f.type AND p.serial = f.serial;
        PERFORM wallet_note(f.type, f.serial, CASE WHEN f.link AND opened IS NULL THEN 'link_opened' ELSE 'fetched' END, NULL,
            json_build_object('version', f.version));
    END LOOP;
END $$;
