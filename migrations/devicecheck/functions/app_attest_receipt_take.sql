-- version: 1

-- Takes some keys of an environment about which Apple is to be asked, for so many seconds: nobody else asks about them meanwhile.
CREATE OR REPLACE FUNCTION app_attest_receipt_take(world text, count_limit integer, lease bigint) RETURNS SETOF app_attest_key
LANGUAGE plpgsql ROWS 20 AS $$
BEGIN
    RETURN QUERY
    UPDATE app_attest_key AS k SET
        receipt_asked_at = statement_timestamp(), receipt_due_at = statement_timestamp() + lease * interval '1 second'
    WHERE k.key_id = ANY (ARRAY(
        SELECT w.key_id FROM app_attest_key AS w
        WHERE w.environment = world AND w.receipt IS NOT NULL AND coalesce(w.receipt_due_at, w.attested_at) <= statement_timestamp()
        ORDER BY coalesce(w.receipt_due_at, w.attested_at) LIMIT count_limit FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING k.*;
END $$;
