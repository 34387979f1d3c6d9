-- version: 1

-- Keeps some lines that a phone has sent, unless so many were kept today already: anybody can send them. An array of objects with kind,
-- device, type, serial and message. Gives how many were kept.
CREATE OR REPLACE FUNCTION wallet_log(lines json, day_limit bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    line record;
    kept integer := 0;
    room bigint := day_limit - (
        SELECT count(*) FROM (
            SELECT FROM wallet_device_log AS l
            WHERE l.log_id >= id_floor(date_trunc('day', statement_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
                AND l.log_id < id_floor(date_trunc('day', statement_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day')
            LIMIT day_limit
        ) AS today);
BEGIN
    FOR line IN SELECT * FROM json_to_recordset(lines) AS r (kind text, device text, type text, serial text, message text) LOOP
        EXIT WHEN kept >= room;
        INSERT INTO wallet_device_log (log_id, kind, device, pass_type, serial, message)
        VALUES (id_new(), line.kind, wallet_device_name(line.device), line.type, line.serial, line.message);
        kept := kept + 1;
    END LOOP;
    RETURN kept;
END $$;
