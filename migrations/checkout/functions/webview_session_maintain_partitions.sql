-- version: 1

-- Makes and drops in one call, for a program of before that knows this function and merchant_maintain_partitions only.
CREATE OR REPLACE FUNCTION webview_session_maintain_partitions(
    keep_sessions interval, keep_private interval, OUT made integer, OUT dropped integer, OUT overdue integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    SELECT m.made INTO made FROM partition_make_due() AS m;
    BEGIN
        SELECT d.dropped, d.overdue INTO dropped, overdue FROM webview_session_drop_expired(keep_sessions, keep_private) AS d;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'partitions past retention stay: %', SQLERRM;
        dropped := 0;
        overdue := 0;
    END;
END $$;

REVOKE EXECUTE ON FUNCTION webview_session_maintain_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webview_session_maintain_partitions TO sallyport_service;
