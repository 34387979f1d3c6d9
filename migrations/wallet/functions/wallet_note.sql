-- version: 1

-- Writes down what happened to a pass.
CREATE OR REPLACE FUNCTION wallet_note(type text, number text, what text, phone text, about json) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet_history (history_id, pass_type, serial, kind, device, detail)
    VALUES (id_new(), type, number, what, wallet_device_name(phone), about);
END $$;
