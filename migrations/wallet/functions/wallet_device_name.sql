-- version: 1

-- What a phone is called where people read: its identifier is a secret.
CREATE OR REPLACE FUNCTION wallet_device_name(device text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN left(encode(sha256(convert_to(device, 'UTF8')), 'hex'), 8);
END $$;
