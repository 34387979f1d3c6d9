-- Purchases that were granted, as many as are asked for, ten of each account, with their entries; and a customer for each account, whose token
-- is the account's id.

SET session_replication_role = replica;
INSERT INTO account (account_id, created_at)
SELECT md5('account ' || i)::uuid, now() - interval '30 days' FROM generate_series(1, :count / 10) AS i;
INSERT INTO app_store_customer (account_id, created_at, app_account_token)
SELECT account_id, created_at, account_id FROM account;
-- Ids in the order of time, as the program makes them.
INSERT INTO app_store_ledger (ledger_id, account_id, units, entries, environment)
SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || left(md5('ledger ' || i), 16))::uuid, md5('account ' || i)::uuid, 1000, 10, 'Sandbox'
FROM generate_series(1, :count / 10) AS i;
CREATE FUNCTION pg_temp.purchase(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7001' || left(md5('purchase ' || i), 16))::uuid $$;
CREATE FUNCTION pg_temp.ledger(i bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || left(md5('ledger ' || i), 16))::uuid $$;
INSERT INTO app_store_purchase (purchase_id, ledger_id, app_account_token, signed_at, purchased_at, granted_at, price, granted, taken, quantity,
    environment, bundle_id, transaction_id, original_id, product_id, type, ownership, currency, storefront)
SELECT pg_temp.purchase(i), pg_temp.ledger(i % (:count / 10) + 1), md5('account ' || i % (:count / 10) + 1)::uuid, at, at, at, 160000, 100, 0, 1,
    'Sandbox', 'com.example.sallyport', '2' || lpad(i::text, 15, '0'), '2' || lpad(i::text, 15, '0'), 'com.example.sallyport.ticket.1',
    'Consumable', 'PURCHASED', 'JPY', 'JPN'
FROM generate_series(1, :count::bigint) AS i, LATERAL (SELECT now() - interval '365 days' + i * interval '3 seconds' AS at) AS t;
INSERT INTO app_store_entry (ledger_id, sequence, at, units, balance, purchase_id, kind)
SELECT pg_temp.ledger((i - 1) % (:count / 10) + 1), (i - 1) / (:count / 10) + 1, now() - interval '365 days' + i * interval '3 seconds', 100,
    100 * ((i - 1) / (:count / 10) + 1), pg_temp.purchase(i - 1 + CASE WHEN i = 1 THEN :count ELSE 0 END), 'purchase'
FROM generate_series(1, :count::bigint) AS i;

INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
VALUES ('01020304-0506-0708-090a-0b0c0d0e0f10', now(), sha256(convert_to(':key', 'UTF8')), 'bench', '{app_store:read,app_store:write}');
RESET session_replication_role;
VACUUM (ANALYZE);
