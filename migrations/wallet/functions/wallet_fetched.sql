-- version: 1

-- Notes which versions were fetched, some at once: an array of objects with type, serial, version, and who asked: link, phone, or known
-- for a phone that has the version already. Of these one a day of UTC is written down for each version, however often phones ask.
CREATE OR REPLACE FUNCTION wallet_fetched(fetches json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    f record;
    opened timestamptz;
    today timestamptz := date_trunc('day', statement_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    -- Within one partition, which is a month of UTC.
    earliest uuid := id_floor(today);
    latest uuid := id_floor(today + interval '1 day');
BEGIN
    FOR f IN SELECT * FROM json_to_recordset(fetches) AS r (type text, serial text, version integer, kind text)
        ORDER BY r.type, r.serial, r.version
    LOOP
        IF f.kind = 'known' THEN
            PERFORM FROM wallet_history AS h WHERE h.pass_type = f.type AND h.serial = f.serial AND h.kind = 'not_modified'
                AND h.history_id >= earliest AND h.history_id < latest
                AND (h.detail->>'version')::integer = f.version;
            IF NOT FOUND THEN
                PERFORM wallet_note(f.type, f.serial, 'not_modified', NULL, json_build_object('version', f.version));
            END IF;
            CONTINUE;
        END IF;
        SELECT p.link_opened_at INTO opened FROM wallet_pass AS p
        WHERE p.pass_type = f.type AND p.serial = f.serial FOR NO KEY UPDATE;
        CONTINUE WHEN NOT FOUND;
        UPDATE wallet_pass AS p SET fetched_at = statement_timestamp(), fetched_version = f.version,
            link_opened_at = CASE WHEN f.kind = 'link' THEN coalesce(opened, statement_timestamp()) ELSE opened END
        WHERE p.pass_type = f.type AND p.serial = f.serial;
        PERFORM wallet_note(f.type, f.serial, CASE WHEN f.kind = 'link' AND opened IS NULL THEN 'link_opened' ELSE 'fetched' END, NULL,
            json_build_object('version', f.version));
    END LOOP;
END $$;
