-- version: 2

-- Takes what a verified text says of a purchase, and grants or takes back what follows from it. Every text takes this way, whoever brings
-- it and in whatever order; the same one again changes nothing. Who brings it is the account that shows it, or NULL where the store itself
-- says so. What one piece of the product is worth is NULL for a product that the merchant does not sell.
-- granted, duplicate, revoked, other_account, unknown_token, unknown_product, not_granted (consumables that were not bought), erased for an
-- account that is nobody's, stored while there is no owner. What changed is told apart: a purchase that is revoked may just have been.
CREATE OR REPLACE FUNCTION app_store_apply(
    bearer uuid, said json, worth bigint, OUT outcome text, OUT is_changed boolean, OUT account uuid, OUT units bigint, OUT balance bigint
)
LANGUAGE plpgsql AS $$
DECLARE
    t record;                 -- as the text says
    p app_store_purchase;     -- as it is kept
    before app_store_purchase;
    named uuid;               -- the account that its token names
    due bigint;
BEGIN
    SELECT r.*, 'epoch'::timestamptz + r.signed * interval '1 microsecond' AS signed_at,
        'epoch'::timestamptz + r.purchased * interval '1 microsecond' AS purchased_at,
        'epoch'::timestamptz + r.expires * interval '1 microsecond' AS expires_at,
        'epoch'::timestamptz + r.revoked * interval '1 microsecond' AS revoked_at
    INTO STRICT t FROM json_to_record(said) AS r (
        environment text, bundle text, transaction text, original text, product text, type text, ownership text, quantity integer,
        token uuid, signed bigint, purchased bigint, expires bigint, revoked bigint, revocation text, thousandths integer,
        price bigint, currency text, storefront text);

    -- Two that bring the same purchase meet here.
    INSERT INTO app_store_purchase (
        purchase_id, app_account_token, signed_at, purchased_at, expires_at, revoked_at, price, granted, taken, quantity,
        revoked_thousandths, environment, bundle_id, transaction_id, original_id, product_id, type, ownership, revocation_type,
        currency, storefront)
    VALUES (
        id_new(), t.token, t.signed_at, t.purchased_at, t.expires_at, t.revoked_at, t.price, 0, 0, t.quantity,
        t.thousandths, t.environment, t.bundle, t.transaction, t.original, t.product, t.type, t.ownership, t.revocation,
        t.currency, t.storefront)
    ON CONFLICT (environment, bundle_id, transaction_id) DO NOTHING;
    is_changed := FOUND;
    SELECT * INTO STRICT p FROM app_store_purchase AS w
    WHERE w.environment = t.environment AND w.bundle_id = t.bundle AND w.transaction_id = t.transaction FOR NO KEY UPDATE;
    before := p;

    -- The newest text is right.
    IF t.signed_at > p.signed_at THEN
        p.signed_at := t.signed_at;
        p.expires_at := t.expires_at;
        p.revoked_at := t.revoked_at;
        p.revoked_thousandths := t.thousandths;
        p.revocation_type := t.revocation;
        p.ownership := t.ownership;
        p.app_account_token := t.token;
    END IF;

    IF p.ledger_id IS NOT NULL THEN
        SELECT l.account_id INTO account FROM app_store_ledger AS l WHERE l.ledger_id = p.ledger_id;
        -- What an erased account was called is not kept again.
        IF account IS NULL THEN p.app_account_token := NULL; END IF;
        IF bearer <> account OR account IS NULL AND bearer IS NOT NULL THEN outcome := 'other_account'; END IF;
    ELSE
        IF p.app_account_token IS NULL THEN
            named := bearer;
        ELSE
            SELECT c.account_id INTO named FROM app_store_customer AS c WHERE c.app_account_token = p.app_account_token;
            IF bearer IS NOT NULL AND named IS NULL THEN
                outcome := 'unknown_token';
            ELSIF bearer <> named THEN
                outcome := 'other_account';
            END IF;
        END IF;
        IF outcome IS NULL AND named IS NOT NULL THEN
            p.ledger_id := app_store_ledger_of(named, p.environment);
            IF p.ledger_id IS NOT NULL THEN
                account := named;
            ELSIF bearer IS NOT NULL THEN
                outcome := 'erased';
            END IF;
        END IF;
    END IF;

    IF outcome IS NULL AND p.revoked_at IS NULL AND p.granted_at IS NULL THEN
        IF p.type = 'Consumable' AND p.ownership <> 'PURCHASED' THEN
            outcome := 'not_granted';
        ELSIF worth IS NULL THEN
            outcome := 'unknown_product';
        ELSIF p.ledger_id IS NULL THEN
            outcome := 'stored';
        ELSE
            p.granted_at := statement_timestamp();
            p.granted := p.quantity * worth;
            outcome := 'granted';
        END IF;
    END IF;
    due := CASE
        WHEN p.revoked_at IS NULL                                                        THEN 0
        WHEN p.revocation_type = 'REFUND_PRORATED' AND p.revoked_thousandths IS NOT NULL THEN p.granted * p.revoked_thousandths / 100000
        ELSE p.granted
    END;
    p.taken := due;
    outcome := coalesce(outcome, CASE
        WHEN p.ledger_id IS NULL      THEN 'stored'
        WHEN p.revoked_at IS NOT NULL THEN 'revoked'
        ELSE 'duplicate'
    END);

    IF p IS DISTINCT FROM before THEN
        is_changed := is_changed OR outcome = 'granted' OR p.taken <> before.taken
            OR p.revoked_at IS DISTINCT FROM before.revoked_at;
        UPDATE app_store_purchase AS w SET
            ledger_id = p.ledger_id, app_account_token = p.app_account_token, signed_at = p.signed_at, expires_at = p.expires_at,
            revoked_at = p.revoked_at, granted_at = p.granted_at, granted = p.granted, taken = p.taken,
            revoked_thousandths = p.revoked_thousandths, ownership = p.ownership, revocation_type = p.revocation_type
        WHERE w.purchase_id = p.purchase_id;
    END IF;
    IF p.granted > before.granted THEN
        PERFORM app_store_enter(p.ledger_id, 'purchase', p.granted - before.granted, p.purchase_id, NULL);
    END IF;
    IF p.taken > before.taken THEN
        PERFORM app_store_enter(p.ledger_id, 'refund', before.taken - p.taken, p.purchase_id, NULL);
    ELSIF p.taken < before.taken THEN
        PERFORM app_store_enter(p.ledger_id, 'reversal', before.taken - p.taken, p.purchase_id, NULL);
    END IF;
    IF p.granted_at IS NOT NULL AND before.granted_at IS NULL THEN
        PERFORM app_store_announce(p, 'app_store.purchase.granted');
    ELSIF p.granted_at IS NOT NULL AND before.revoked_at IS NULL AND p.revoked_at IS NOT NULL THEN
        PERFORM app_store_announce(p, 'app_store.purchase.refunded');
    ELSIF p.granted_at IS NOT NULL AND before.revoked_at IS NOT NULL AND p.revoked_at IS NULL THEN
        PERFORM app_store_announce(p, 'app_store.purchase.reversed');
    END IF;
    IF p.ledger_id IS NOT NULL AND (before.ledger_id IS NULL OR bearer = account) THEN
        PERFORM app_store_reconcile_plan(p);
    END IF;
    units := p.granted;
    SELECT l.units INTO balance FROM app_store_ledger AS l WHERE l.ledger_id = p.ledger_id;
END $$;
