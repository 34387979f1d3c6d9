-- version: 1

-- Whether a customer has bought something or shown a purchase lately.
CREATE OR REPLACE FUNCTION app_store_is_active(r app_store_reconciliation) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT r.active_at > statement_timestamp() - interval '30 days' $$;
