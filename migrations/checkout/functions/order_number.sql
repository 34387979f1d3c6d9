-- version: 1

-- The number of an order as its buyer sees it: the last 50 bits of the webview session's id as ten digits of Crockford's Base32, with a
-- dash in the middle. Its twin in the program is `OrderNumber`.
CREATE OR REPLACE FUNCTION order_number(webview_session uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    bits bigint := ('x' || lpad(right(replace(webview_session::text, '-', ''), 13), 16, '0'))::bit(64)::bigint;
    number text := '';
BEGIN
    FOR place IN 0..9 LOOP
        number := number || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (bits >> (45 - 5 * place) & 31)::integer + 1, 1);
    END LOOP;
    RETURN left(number, 5) || '-' || right(number, 5);
END $$;
