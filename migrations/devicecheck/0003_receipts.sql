-- Keys in the order in which Apple is asked about them: a new one at once.
CREATE INDEX app_attest_key_receipt ON app_attest_key (environment, (coalesce(receipt_due_at, attested_at))) WHERE receipt IS NOT NULL;
