-- version: 1

-- Keeps some lines that phones have sent, an array of objects with kind, device, type, serial and message. Anybody can send them: so many a
-- day are kept of each card, whose serial number nobody guesses, and so many of all that name no card of ours. Gives how many were kept.
CREATE OR REPLACE FUNCTION wallet_log(lines json, day_limit bigint, card_limit bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    line record;
    kept integer := 0;
    used bigint;
    is_counted boolean := false;
    today date := (statement_timestamp() AT TIME ZONE 'UTC')::date;
    first_id uuid := id_floor(today::timestamp AT TIME ZONE 'UTC');
    end_id uuid := id_floor((today + 1)::timestamp AT TIME ZONE 'UTC');
BEGIN
    FOR line IN SELECT * FROM json_to_recordset(lines) AS r (kind text, device text, type text, serial text, message text) LOOP
        IF EXISTS (SELECT FROM wallet_pass AS p WHERE p.pass_type = line.type AND p.serial = line.serial) THEN
            CONTINUE WHEN card_limit <= (
                SELECT count(*) FROM (
                    SELECT FROM wallet_device_log AS l WHERE l.pass_type = line.type AND l.serial = line.serial
                        AND l.log_id >= first_id AND l.log_id < end_id
                    LIMIT card_limit
                ) AS of_card);
        ELSE
            IF used IS NULL THEN
                -- Once the day is full nobody waits for anybody here.
                SELECT CASE WHEN c.day = today THEN c.lines ELSE 0 END INTO used FROM wallet_device_log_day AS c
                WHERE c.day <> today OR c.lines < day_limit FOR UPDATE;
                used := coalesce(used, day_limit);
            END IF;
            CONTINUE WHEN used >= day_limit;
            used := used + 1;
            is_counted := true;
        END IF;
        INSERT INTO wallet_device_log (log_id, kind, device, pass_type, serial, message)
        VALUES (id_new(), line.kind, wallet_device_name(line.device), line.type, line.serial, line.message);
        kept := kept + 1;
    END LOOP;
    IF is_counted THEN
        UPDATE wallet_device_log_day AS c SET day = today, lines = used;
    END IF;
    RETURN kept;
END $$;
