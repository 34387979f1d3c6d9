INSERT INTO api_key (key_id, created_at, secret_hash, name, scopes)
SELECT ('01900000-0000-7000-8000-00000000000' || k)::uuid, now(), sha256('k'), 'key', '{sessions:read}'
FROM generate_series(1, 5) AS k;
INSERT INTO api_idempotency (key_id, idem, created_at, lease_until, fingerprint, webview_session_id, status, answer)
SELECT '01900000-0000-7000-8000-000000000001', 'mark-' || a.months || '-' || a.n, a.at, a.at, sha256('f'), a.webview_session_id, 200, '{}'
FROM aged AS a;
