-- version: 1

-- Tells the shop that a certificate ends within so many days, once for each number of days however many processes say so; whether it did.
-- A certificate that was replaced is another one.
CREATE OR REPLACE FUNCTION wallet_certificate_ends(type text, print bytea, at timestamptz, days integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet_certificate AS c (expires_at, told_days, pass_type, fingerprint) VALUES (at, days, type, print)
    ON CONFLICT (pass_type, fingerprint) DO UPDATE SET told_days = excluded.told_days WHERE c.told_days > excluded.told_days;
    IF FOUND THEN
        PERFORM event_announce('pass_type', encode(substr(sha256(convert_to(type, 'UTF8')), 1, 16), 'hex')::uuid,
            'wallet.certificate.expiring', json_build_object(
            'passType', type, 'expiresAt', time_text(at), 'withinDays', days));
    END IF;
    RETURN FOUND;
END $$;
