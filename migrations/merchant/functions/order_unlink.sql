-- version: 1

-- Takes an account off its orders, which stay as nobody's for the books; gives their number. May be repeated.
CREATE OR REPLACE FUNCTION order_unlink(owner uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    orders bigint;
BEGIN
    UPDATE merchant_order AS o SET account_id = NULL WHERE o.account_id = owner;
    GET DIAGNOSTICS orders = ROW_COUNT;
    RETURN orders;
END $$;
