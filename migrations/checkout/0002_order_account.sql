-- Whose an order is, where the merchant's program has said so. An id of the feature accounts; without Merchant it stays NULL. It never
-- changes but to NULL, when the account is erased, so all other updates stay heap-only.
ALTER TABLE merchant_order ADD COLUMN account_id uuid;

CREATE INDEX merchant_order_account ON merchant_order (account_id, webview_session_id) WHERE account_id IS NOT NULL;

GRANT UPDATE (account_id) ON merchant_order TO sallyport_service;
