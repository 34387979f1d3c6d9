-- What an account was given without a purchase, once for each purpose, however often it is told. Gone with the account, which nothing is
-- given to any more.
CREATE TABLE app_store_gift (
    given_at   timestamptz NOT NULL,
    account_id uuid        NOT NULL REFERENCES account,
    units      bigint      NOT NULL,
    event_id   uuid        NOT NULL, -- that told of it
    purpose    text        NOT NULL,
    PRIMARY KEY (account_id, purpose)
);

GRANT SELECT, INSERT, DELETE ON app_store_gift TO sallyport_service;
