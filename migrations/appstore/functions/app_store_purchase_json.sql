-- version: 1

-- A purchase, as programs and apps are shown it.
CREATE OR REPLACE FUNCTION app_store_purchase_json(p app_store_purchase) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT json_strip_nulls(json_build_object(
        'object', 'appStorePurchase', 'id', p.purchase_id, 'environment', p.environment, 'transactionId', p.transaction_id,
        'originalTransactionId', p.original_id, 'productId', p.product_id, 'type', p.type, 'ownership', p.ownership,
        'quantity', p.quantity, 'units', p.granted, 'takenBack', p.taken, 'purchasedAt', time_text(p.purchased_at),
        'grantedAt', time_text(p.granted_at), 'expiresAt', time_text(p.expires_at), 'revokedAt', time_text(p.revoked_at),
        'revocation', p.revocation_type, 'price', p.price, 'currency', p.currency, 'storefront', p.storefront))
$$;
