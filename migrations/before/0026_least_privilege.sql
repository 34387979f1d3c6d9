-- The service role runs a whole shop, and can take away neither the trail nor an order.
-- Locks: none that anybody waits for; privileges of tables are changed. Time: milliseconds. The program of before works on with them.

-- serve and the commands of operators compare the schema with their own files.
GRANT SELECT ON schema_migration TO sallyport_service;

-- Rows of the ledger go with their month, through merchant_drop_expired and nothing else.
REVOKE DELETE ON payment_object FROM sallyport_service;

-- What a row is and whose it is stays as it was written. Above all the ids: they begin with a time, so whoever may change them moves a
-- row among those that are past retention.
REVOKE UPDATE ON merchant_order, payment_object, payment_operation, api_key FROM sallyport_service;
GRANT UPDATE (
    updated_at, postage, total, captured, refunded, events, state, checkout_session, charge_permission
) ON merchant_order TO sallyport_service;
GRANT UPDATE (
    open_operation, observed_at, object_updated_at, amount, captured, refunded, said_refunded, reserved, final, parent, state, reason
) ON payment_object TO sallyport_service;
GRANT UPDATE (
    attempt_id, lease_until, ended_at, recoveries, state, reason, object_id, provider_request
) ON payment_operation TO sallyport_service;
GRANT UPDATE (secret_hash, previous_hash, previous_until, revoked_at, last_used_on) ON api_key TO sallyport_service;

-- Databases from before PostgreSQL 15 let everybody make functions and tables beside ours.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
