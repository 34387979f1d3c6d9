-- Phones that are to be woken, so that they ask for what has changed. One row for a phone and a type of passes, however much changes.
CREATE TABLE wallet_push_job (
    due_at      timestamptz NOT NULL, -- when it goes out; while it is on its way, when it is taken for lost; once sent, when it is forgotten
    not_before  timestamptz NOT NULL, -- no change makes it due before
    since       timestamptz NOT NULL, -- of the change that has waited longest
    wanted      bigint      NOT NULL, -- the greatest tag that the phone is to hear of
    claim_id    uuid,                 -- fences the outcome of a push; NULL while none is on its way
    attempts    integer     NOT NULL, -- answers so far that ask for patience
    last_status integer,
    last_reason text,
    is_again    boolean     NOT NULL, -- something has changed since the push went out
    is_sent     boolean     NOT NULL, -- nothing is to be sent; the row keeps the next push away for a moment
    device      text        NOT NULL,
    pass_type   text        NOT NULL,
    PRIMARY KEY (device, pass_type)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX wallet_push_job_due ON wallet_push_job (pass_type, due_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON wallet_push_job TO sallyport_service;
