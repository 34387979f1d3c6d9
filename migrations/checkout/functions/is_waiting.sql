-- version: 1

-- Whether a webview session waits for somebody: it may expire, be revoked and be cancelled.
-- Unsafe, so that no statement that asks is spread over several processes of the server: the count of all live webview sessions would be,
-- and whether a statement may have them is decided before its functions are inlined.
CREATE OR REPLACE FUNCTION is_waiting(state webview_session_state) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL UNSAFE AS $$
    SELECT state IN ('issued', 'opened', 'reviewed', 'placed', 'declined')
$$;
