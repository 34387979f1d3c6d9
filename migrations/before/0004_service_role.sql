-- The role the program works under: it reads and writes flows, it adds to the audit trail and never changes it, and it does not
-- touch the schema. A login role is made a member of it: GRANT sallyport_service TO the_login_role.
-- Locks: the four tables, ACCESS SHARE. Time: milliseconds.

-- Roles belong to the whole cluster: another database may have made it, at this very moment.
DO $$
BEGIN
    CREATE ROLE sallyport_service NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$;

GRANT SELECT, INSERT, UPDATE ON flow, flow_private TO sallyport_service;
GRANT SELECT, INSERT ON flow_event TO sallyport_service;
GRANT SELECT, INSERT, DELETE ON flow_purchasing TO sallyport_service;

REVOKE EXECUTE ON FUNCTION flow_make_partition, flow_drop_partition, flow_maintain_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION flow_maintain_partitions TO sallyport_service;

-- The first partitions; from now on the program asks for them.
SELECT flow_maintain_partitions(interval '90 days', interval '1 day');
