-- Accounts: who a person is to the merchant.
-- Rows stay when an account is erased, so that its id never names somebody else; what is left of it is its id and three times.
CREATE TABLE account (
    account_id  uuid        NOT NULL PRIMARY KEY,
    created_at  timestamptz NOT NULL,
    erased_at   timestamptz,                 -- when its erasure began: from then on it is nobody's
    tried_at    timestamptz,                 -- when features were last asked to erase what they keep of it
    cleared_at  timestamptz,                 -- when all of them had
    external_id text COLLATE "C" UNIQUE      -- the merchant's own id of the person; gone as soon as an erasure begins
);

CREATE INDEX account_unfinished ON account (tried_at) WHERE erased_at IS NOT NULL AND cleared_at IS NULL;

GRANT SELECT, INSERT ON account TO sallyport_service;
GRANT UPDATE (erased_at, tried_at, cleared_at, external_id) ON account TO sallyport_service;

-- The tokens with which apps speak for an account. A row is deleted when the token is revoked, and some time after its end.
CREATE TABLE account_token (
    token_id   uuid        NOT NULL PRIMARY KEY,
    account_id uuid        NOT NULL REFERENCES account,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    token_hash bytea       NOT NULL, -- SHA-256 of the whole text of the token
    scopes     text[]      NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX account_token_account ON account_token (account_id, token_id);
CREATE INDEX account_token_end ON account_token (expires_at);

GRANT SELECT, INSERT, DELETE ON account_token TO sallyport_service;
