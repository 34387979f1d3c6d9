INSERT INTO webhook_endpoint (endpoint_id, created_at, url, types, key_id, secret, removed_at)
SELECT ('01900000-0000-7000-8000-00000000001' || e)::uuid, now(), 'https://shop.example/hook', '{}', 'whk', '\x00',
    CASE e WHEN 3 THEN now() END FROM generate_series(1, 3) AS e;
INSERT INTO event_queue (receiver_id, subject_id, attempt_id, head_id, head, tail, next_at, since, failures, dead_at)
SELECT ('01900000-0000-7000-8000-00000000001' || e)::uuid, a.webview_session_id, CASE WHEN a.n % 3 = 0 THEN a.webview_session_id END,
    (SELECT v.event_id FROM event AS v WHERE v.subject_id = a.webview_session_id AND v.sequence = 1), 1, 2,
    now() + (a.n % 7 - 3) * interval '1 minute', a.at, 0, CASE WHEN a.months > 0 THEN a.at END
FROM aged AS a, generate_series(1, 3) AS e WHERE a.months < 2 OR a.n = 1;
