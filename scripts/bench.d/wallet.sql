-- Members with a card and a phone each, as many as are asked for. The template is known already, so that no walk revises them.

SET session_replication_role = replica;
CREATE UNLOGGED TABLE made AS
SELECT i, md5('account ' || i)::uuid AS account_id, upper(md5('serial ' || i)::uuid::text) AS serial, md5('device ' || i) AS device,
    md5('token ' || i) || md5('more ' || i) AS push_token FROM generate_series(1, :count) AS i;

INSERT INTO account (account_id, created_at) SELECT account_id, now() - interval '30 days' FROM made;
INSERT INTO wallet_member (account_id, created_at, link_at, points, link_secret, link_number, name)
SELECT account_id, now() - interval '30 days', now() - interval '30 days', 1, 1, 1, 'Member ' || i FROM made;
INSERT INTO wallet_pass (account_id, created_at, modified_at, registered_at, reregistered_at, fetched_at, tag, version, fetched_version, devices, token_key,
    is_final, pass_type, serial, template, state, content, content_digest)
SELECT account_id, at, at, at, at, at, 1, 1, 1, 1, 1, false, ':type', serial, 'member', 'installed',
    jsonb_build_object('name', 'Member ' || i, 'points', 1, 'memberId', account_id), '\x00'
FROM made, date_trunc('second', now() - interval '30 days') AS at;
INSERT INTO wallet_device (token_at, seen_at, device, pass_type, push_token)
SELECT now() - interval '30 days', now() - interval '30 days', device, ':type', push_token FROM made;
INSERT INTO wallet_registration (created_at, device, pass_type, serial) SELECT now() - interval '30 days', device, ':type', serial FROM made;

INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
VALUES ('01020304-0506-0708-090a-0b0c0d0e0f10', now(), sha256(convert_to(':key', 'UTF8')), 'bench', '{wallet:read,wallet:write}');
VACUUM (ANALYZE);
