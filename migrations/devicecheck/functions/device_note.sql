-- version: 1

-- Adds rows to the history of an account, in their order: the ids of one request have its time, and count up behind it.
CREATE OR REPLACE FUNCTION device_note(account uuid, flow uuid, rows json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    base bytea := set_byte(uuid_send(id_new()), 6, 112);
    place integer := 0;
    r record;
BEGIN
    FOR r IN SELECT * FROM json_to_recordset(coalesce(rows, '[]')) AS w (kind text, purpose text, outcome text, detail json) LOOP
        INSERT INTO device_history (history_id, account_id, flow_id, kind, purpose, outcome, detail)
        VALUES (
            encode(set_byte(base, 7, place), 'hex')::uuid, account, flow, r.kind, r.purpose, r.outcome, coalesce(r.detail, '{}'));
        place := place + 1;
    END LOOP;
END $$;
