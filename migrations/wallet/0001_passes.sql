-- Members of a shop, their passes, and the phones that want to hear of changes.

-- A person of the shop, which is an account. Name and points; what else a pass shows stands with the pass.
CREATE TABLE wallet_member (
    account_id  uuid        NOT NULL PRIMARY KEY REFERENCES account,
    created_at  timestamptz NOT NULL,
    ended_at    timestamptz,          -- NULL while the membership goes on
    link_at     timestamptz NOT NULL, -- when the download link was made
    points      bigint      NOT NULL CHECK (points BETWEEN 0 AND 999999999),
    -- The key of the download link is derived from the secret with this number and from how many links there were: it is not stored.
    link_secret integer     NOT NULL,
    link_number integer     NOT NULL,
    name        text                  -- NULL where the shop has given none, and behind the end
) WITH (fillfactor = 90);

-- For names that begin with a text.
CREATE INDEX wallet_member_name ON wallet_member (lower(name) text_pattern_ops);

-- A card. Neither its file nor its token is stored: both are made of these columns when they are asked for.
CREATE TABLE wallet_pass (
    account_id       uuid,                 -- NULL once the account is erased
    created_at       timestamptz NOT NULL,
    modified_at      timestamptz NOT NULL, -- of the version, in whole seconds, and each later than that before: phones compare it
    voided_at        timestamptz,
    link_opened_at   timestamptz,          -- when its file was first fetched by the link
    registered_at    timestamptz,          -- when a phone registered first, and last
    reregistered_at  timestamptz,
    fetched_at       timestamptz,          -- when its file was fetched last, and which version
    tag              bigint      NOT NULL, -- of the transaction that made the version: wallet_tag
    version          integer     NOT NULL,
    fetched_version  integer,
    devices          integer     NOT NULL, -- how many registrations there are
    token_key        integer     NOT NULL, -- number of the secret that the token is derived from, for the life of the pass
    is_final         boolean     NOT NULL, -- the version that phones ask no more behind
    pass_type        text        NOT NULL,
    serial           text        NOT NULL, -- a UUID in capitals
    template         text        NOT NULL,
    state            text        NOT NULL CHECK (state IN ('issued', 'installed', 'removed', 'lost', 'voided')),
    content          jsonb       NOT NULL, -- what is filled into the template, by name
    content_digest   bytea       NOT NULL, -- of template and content: the same digest is the same version
    PRIMARY KEY (pass_type, serial)
) WITH (fillfactor = 60);

-- One pass of a type for each member; both also order the lists. Neither has a column that a change of points changes.
CREATE UNIQUE INDEX wallet_pass_account ON wallet_pass (account_id, pass_type);
CREATE INDEX wallet_pass_state ON wallet_pass (state, account_id);
-- What is to be purged.
CREATE INDEX wallet_pass_final ON wallet_pass (voided_at) WHERE is_final;

-- What the templates are that passes are made of, as the program that was started last has them; and how far a walk through all passes
-- of the type has come: the last serial number, empty for one that has not begun, NULL where there is none.
CREATE TABLE wallet_template (
    template     text  NOT NULL PRIMARY KEY,
    pass_type    text  NOT NULL,
    digest       bytea NOT NULL,
    uses         text[] NOT NULL, -- the names of the content that it shows
    revise_after text,            -- revises the passes that were made of it as it was
    wake_after   text             -- wakes all phones
);

-- A phone, or a watch, for the passes of one type: where to wake it. A row only while a pass is registered for it.
CREATE TABLE wallet_device (
    token_at    timestamptz NOT NULL, -- when the token came: one that the push service calls dead since before then is another one
    seen_at     timestamptz NOT NULL,
    device      text        NOT NULL, -- as the phone calls itself; whoever knows it may list its passes
    pass_type   text        NOT NULL,
    push_token  text        NOT NULL, -- hexadecimal, lower case
    pushed_at   timestamptz,          -- when a push was last answered, or was not, and how; for people
    push_status integer,              -- NULL where nothing was answered
    push_reason text,
    accepted_at timestamptz,          -- when a push to this token was accepted last; NULL where none was
    PRIMARY KEY (device, pass_type)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- A pass on a phone that wants to hear of its changes.
CREATE TABLE wallet_registration (
    created_at timestamptz NOT NULL,
    device     text        NOT NULL,
    pass_type  text        NOT NULL,
    serial     text        NOT NULL,
    PRIMARY KEY (device, pass_type, serial),
    FOREIGN KEY (device, pass_type) REFERENCES wallet_device,
    FOREIGN KEY (pass_type, serial) REFERENCES wallet_pass
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX wallet_registration_pass ON wallet_registration (pass_type, serial);

-- What happened to a pass, for the shop. A phone is the beginning of a hash.
CREATE TABLE wallet_history (
    history_id uuid NOT NULL PRIMARY KEY,
    pass_type  text NOT NULL,
    serial     text NOT NULL,
    kind       text NOT NULL,
    device     text,
    detail     json
) PARTITION BY RANGE (history_id);

CREATE INDEX wallet_history_pass ON wallet_history (pass_type, serial, history_id);

INSERT INTO partitioned_table VALUES ('wallet_history', 'month', interval '20 days', 30, 100);

-- What phones say has gone wrong, as far as it can be read. Anybody can write here: by bounds and rate, and for days only.
CREATE TABLE wallet_device_log (
    log_id    uuid NOT NULL PRIMARY KEY,
    kind      text NOT NULL, -- register, unregister, list, get, service or other
    device    text,          -- the beginning of a hash
    pass_type text,
    serial    text,
    message   text NOT NULL
) PARTITION BY RANGE (log_id);

CREATE INDEX wallet_device_log_pass ON wallet_device_log (pass_type, serial, log_id);

INSERT INTO partitioned_table VALUES ('wallet_device_log', 'day', interval '20 days', 1, 100);

-- How many of these a day has.
CREATE TABLE wallet_device_log_day (
    day   date   NOT NULL,
    lines bigint NOT NULL
) WITH (fillfactor = 10);

INSERT INTO wallet_device_log_day VALUES ('epoch', 0);

-- Certificates that end soon, and of how few days the shop was told last.
CREATE TABLE wallet_certificate (
    expires_at  timestamptz NOT NULL,
    told_days   integer     NOT NULL,
    pass_type   text        NOT NULL,
    fingerprint bytea       NOT NULL,
    PRIMARY KEY (pass_type, fingerprint)
);

-- What is added to the number of a transaction for the tag of what it changes. Numbers of transactions begin anew in another cluster,
-- and with an old backup; tags that phones have must not.
CREATE TABLE wallet_tag (
    base    bigint NOT NULL,
    cluster bigint NOT NULL -- the one that the numbers are of
);

INSERT INTO wallet_tag SELECT 0, system_identifier FROM pg_control_system();

GRANT SELECT, INSERT, UPDATE, DELETE ON wallet_member, wallet_pass TO sallyport_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON wallet_device, wallet_registration TO sallyport_service;
GRANT SELECT, INSERT, UPDATE ON wallet_template TO sallyport_service;
GRANT SELECT, INSERT ON wallet_history, wallet_device_log TO sallyport_service;
GRANT SELECT, UPDATE ON wallet_tag, wallet_device_log_day TO sallyport_service;
GRANT SELECT, INSERT, UPDATE (told_days) ON wallet_certificate TO sallyport_service;
