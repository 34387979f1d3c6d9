-- version: 1

-- Whether a customer could still get money back; Apple takes requests for some 90 days.
CREATE OR REPLACE FUNCTION app_store_is_refundable(r app_store_reconciliation) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT r.bought_at > statement_timestamp() - interval '100 days' $$;
