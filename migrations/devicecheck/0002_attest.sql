-- Proof that a request comes from the shop's app on a genuine device: challenges, and the keys that Apple has attested.

-- Challenges that apps were given, as hashes; a row goes when its challenge is used.
CREATE TABLE app_attest_challenge (
    account_id     uuid        NOT NULL,
    expires_at     timestamptz NOT NULL,
    challenge_hash bytea       NOT NULL PRIMARY KEY -- SHA-256 of the text
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE INDEX app_attest_challenge_end ON app_attest_challenge (expires_at);
CREATE INDEX app_attest_challenge_account ON app_attest_challenge (account_id);

GRANT SELECT, INSERT, DELETE ON app_attest_challenge TO sallyport_service;

-- Keys of installed apps, each of one account; their private halves never leave the devices.
CREATE TABLE app_attest_key (
    account_id       uuid        NOT NULL REFERENCES account,
    attested_at      timestamptz NOT NULL,
    used_at          timestamptz NOT NULL, -- when it was last used; at first, when it was attested
    receipt_due_at   timestamptz,          -- from when on Apple gives another receipt for this one; NULL where that is not known
    receipt_asked_at timestamptz,          -- when Apple was last asked for another one
    counter          bigint      NOT NULL, -- of the newest assertion; only goes up
    category         integer,              -- how the app came onto the device, as systems from iOS 27 on say it
    risk_metric      integer,              -- how many keys the device has had attested lately, as Apple says it
    key_id           bytea       NOT NULL PRIMARY KEY, -- SHA-256 of the point
    public_key       bytea       NOT NULL, -- the point
    receipt          bytea,                -- what Apple is asked about the device with
    app              text        NOT NULL, -- TEAM.BUNDLE
    environment      text        NOT NULL CHECK (environment IN ('production', 'development'))
) WITH (fillfactor = 80);

CREATE INDEX app_attest_key_account ON app_attest_key (account_id);
CREATE INDEX app_attest_key_used ON app_attest_key (used_at);

GRANT SELECT, INSERT, DELETE ON app_attest_key TO sallyport_service;
GRANT UPDATE (used_at, receipt_due_at, receipt_asked_at, counter, risk_metric, receipt) ON app_attest_key TO sallyport_service;
