-- Marks that wait, by state and age: operators are told of them.
CREATE INDEX device_account_waiting ON device_account (queued, queued_at) WHERE queued IS NOT NULL;
