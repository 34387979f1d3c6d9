-- version: 1

-- Has a mark wait for the next visit of an account, from where it counts at once; a higher one that waits stays. False for an account that
-- is erased or unknown.
CREATE OR REPLACE FUNCTION device_queue(account uuid, mark text, event text, origin text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    waiting text;
BEGIN
    IF NOT account_is_open(account) THEN RETURN false; END IF;
    INSERT INTO device_account (account_id, refusals) VALUES (account, 0) ON CONFLICT DO NOTHING;
    SELECT a.queued INTO waiting FROM device_account AS a WHERE a.account_id = account FOR NO KEY UPDATE;
    IF device_rank(mark) > device_rank(waiting) THEN
        UPDATE device_account AS a SET queued = mark, queued_for = event, queued_at = statement_timestamp() WHERE a.account_id = account;
        PERFORM device_note(account, NULL, json_build_array(json_build_object(
            'kind', 'queue', 'purpose', event, 'outcome', mark, 'detail', json_build_object('from', origin))));
    END IF;
    RETURN true;
END $$;
