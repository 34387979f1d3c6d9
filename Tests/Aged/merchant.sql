INSERT INTO reconciliation_run (day, started_at, ended_at, compared, differences, since_at, until_at, attempt_id, repairs)
SELECT current_date - d, now(), CASE WHEN d > 0 THEN now() END, 10, 0, now(), now(), gen_random_uuid(), false
FROM generate_series(0, 400) AS d;
-- allowance order_unlink partitions=38 rows=100: the orders of an account stand in any month, one look in each
-- allowance order_export partitions=76 rows=100: the orders of an account stand in any month, one look in each
