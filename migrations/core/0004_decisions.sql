-- The end of an operator's decision belongs to whoever wrote its beginning: operator_begin gives a secret that operator_end asks for.
-- Stop all processes before: those of before call the functions in their old form. Locks: operator_event, to the end. Time: milliseconds.

-- NULL for a decision from before, which nobody completes any more.
ALTER TABLE operator_event ADD COLUMN secret_hash bytea; -- SHA-256

-- functions/ has them with other parameters or results, and is applied behind all migrations.
DROP FUNCTION IF EXISTS operator_begin(text, text, text, json);
DROP FUNCTION IF EXISTS operator_end(bigint, json);
