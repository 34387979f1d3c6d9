-- version: 2

-- The same for orders, as webview_session_maintain_partitions.
CREATE OR REPLACE FUNCTION merchant_maintain_partitions(
    keep interval, OUT made integer, OUT dropped integer, OUT overdue integer, OUT deleted integer
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    SELECT m.made INTO made FROM partition_make_due() AS m;
    BEGIN
        SELECT d.dropped, d.overdue, d.deleted INTO dropped, overdue, deleted FROM merchant_drop_expired(keep) AS d;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'partitions past retention stay: %', SQLERRM;
        dropped := 0;
        overdue := 0;
        deleted := 0;
    END;
END $$;

REVOKE EXECUTE ON FUNCTION merchant_maintain_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merchant_maintain_partitions TO sallyport_service;
