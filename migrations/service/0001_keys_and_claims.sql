-- The keys of merchants' programs, and what their requests were answered.

-- One row per key. Revoked ones stay: a name in the trail of an order must not lose its meaning.
CREATE TABLE api_key (
    key_id         uuid        NOT NULL PRIMARY KEY,
    created_at     timestamptz NOT NULL,
    previous_until timestamptz,          -- the secret of before a rotation works until then
    revoked_at     timestamptz,
    last_used_on   date,                 -- written once a day
    secret_hash    bytea       NOT NULL, -- SHA-256 of the whole text of the key
    previous_hash  bytea,
    name           text        NOT NULL,
    scopes         text[]      NOT NULL
);

GRANT SELECT, INSERT ON api_key TO sallyport_service;
GRANT UPDATE (secret_hash, previous_hash, previous_until, revoked_at, last_used_on) ON api_key TO sallyport_service;

-- What a POST of a key was answered, so that a repeat gets the same answer and nothing is done twice.
-- A row is claimed before the request has an effect, in the same statement as the effect where there is one statement. It has no
-- answer while the request runs; whoever comes after lease_until without an answer takes the claim over.
-- These rows are deleted, with the months that nobody keeps any more: hence the settings of the autovacuum, and the index.
CREATE TABLE api_idempotency (
    key_id             uuid        NOT NULL, -- the scope: 16 bytes that stand for account and environment (IdempotencyClaim)
    webview_session_id uuid,
    created_at         timestamptz NOT NULL,
    lease_until        timestamptz NOT NULL,
    status             integer,
    idem               text        NOT NULL, -- the client's word
    fingerprint        bytea       NOT NULL, -- SHA-256 of method, path and body with line feeds between them
    answer             bytea,                -- sealed under the key's text where it holds tokens
    held               boolean     NOT NULL DEFAULT false, -- what it began is not over: it stays, however old it is
    PRIMARY KEY (key_id, idem)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX api_idempotency_age ON api_idempotency (created_at);

-- Rights to change are those of the columns that a statement changes, here and in every other folder.
GRANT SELECT, INSERT, DELETE ON api_idempotency TO sallyport_service;
GRANT UPDATE (webview_session_id, created_at, lease_until, status, answer, held) ON api_idempotency TO sallyport_service;
