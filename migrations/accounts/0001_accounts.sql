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
