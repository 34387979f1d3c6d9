-- version: 1

-- Takes in what was read of an object: as payment_apply, or `unknown` where no order has it or what it stands under.
CREATE OR REPLACE FUNCTION payment_observe(
    seen_kind object_kind, id text, above text, word text, why text, since timestamptz, sum bigint, money text, taken bigint,
    given bigint, born timestamptz, OUT outcome text, OUT webview_session uuid
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.webview_session_id INTO webview_session FROM payment_object AS p
    WHERE p.object_id IN (id, above) ORDER BY p.object_id <> id LIMIT 1;
    IF webview_session IS NOT NULL THEN
        PERFORM FROM merchant_order AS o WHERE o.webview_session_id = webview_session FOR UPDATE;
    END IF;
    IF webview_session IS NULL OR NOT FOUND THEN
        outcome := 'unknown';
        RETURN;
    END IF;
    outcome := payment_apply(webview_session, seen_kind, id, above, word, why, since, sum, money, taken, given, born);
END $$;
