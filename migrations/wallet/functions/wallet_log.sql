-- version: 1

-- Keeps some lines that a phone has sent, unless so many were kept today already: anybody can send them. An array of objects with kind,
-- device, type, serial and message. Gives how many were kept.
CREATE OR REPLACE FUNCTION wallet_log(lines json, day_limit bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    line record;
    kept integer := 0;
    used bigint;
    today date := (statement_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    -- Once the day is full nobody waits for anybody here.
    SELECT CASE WHEN c.day = today THEN c.lines ELSE 0 END INTO used FROM wallet_device_log_day AS c
    WHERE c.day <> today OR c.lines < day_limit FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    FOR line IN SELECT * FROM json_to_recordset(lines) AS r (kind text, device text, type text, serial text, message text) LOOP
        EXIT WHEN used + kept >= day_limit;
        INSERT INTO wallet_device_log (log_id, kind, device, pass_type, serial, message)
        VALUES (id_new(), line.kind, wallet_device_name(line.device), line.type, line.serial, line.message);
        kept := kept + 1;
    END LOOP;
    UPDATE wallet_device_log_day AS c SET day = today, lines = used + kept;
    RETURN kept;
END $$;
