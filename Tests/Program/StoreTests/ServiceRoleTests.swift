import Postgres
import PostgresTestKit
import Program
import ServerCore
import TestKit
import Testing

/// What a session of the program may do at most, whatever statement it is made to run.
///
/// All lists come from the catalog, so that what a later migration adds is looked at without anybody thinking of it.
@Suite("The program's role")
struct ServiceRoleTests {
    /// Tables whose rows it deletes: queues, claims and messages, none of them an order, its ledger or a trail.
    private static let deleted: Set<String> = [
        "api_idempotency", "webview_session_purchase", "event_feed", "notification", "payment_operation_open",
        "payment_poll", "skipped_row", "event_queue", "operator_session", "account_token",
        "wallet_member", "wallet_pass", "wallet_device", "wallet_registration", "wallet_push_job",
        "app_store_customer", "app_store_notification", "app_store_consumption", "app_store_reconciliation",
        "app_store_forward", "app_store_gift", "device_account", "device_claim", "device_token", "device_history",
        "app_attest_challenge", "app_attest_key",
    ]
    /// Tables of which it may change every column.
    private static let changed: Set<String> = ["webview_session"]
    /// Tables of which it may change some columns, and those that it may not.
    private static let fixed: [String: Set<String>] = [
        "merchant_order": [
            "webview_session_id", "key_id", "created_at", "subtotal", "tax", "client", "currency", "reference",
            "account",
            "environment",
            "lines", "metadata", "note", "adjustments", "taxes",
        ],
        "payment_object": ["webview_session_id", "created_at", "kind", "object_id", "currency", "ordinal"],
        "payment_operation": [
            "operation_id", "webview_session_id", "key_id", "created_at", "amount", "attempt", "kind", "target",
            "currency",
            "idem",
            "idem_key", "body", "fingerprint", "asked_by",
        ],
        "api_key": ["key_id", "created_at", "name", "scopes"],
        "api_idempotency": ["key_id", "idem", "fingerprint"],
        "notification": ["message_id", "received_at", "kind", "object_id"],
        "payment_operation_open": ["operation_id", "target"],
        "payment_poll": ["object_id", "kind", "webview_session_id"],
        "program_policy": ["is_only"],
        "reconciliation_run": ["day"],
        "skipped_row": ["work", "webview_session_id", "since"],
        "event_queue": ["receiver_id", "subject_id"],
        "event_subject": ["subject_id"],
        "event_subscriber": ["subscriber_id", "name"],
        "webhook_endpoint": ["endpoint_id", "created_at", "url", "types"],
        "webview_session_private": ["webview_session_id"],
        "webview_session_purchase": ["webview_session_id"],
        "webview_session_sweep": ["only_row"],
    ]
    /// All schemas but the server's own.
    private static let ours = "n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'"

    private func names(_ admin: PostgresAdmin, _ sql: String, _ parameters: [String?] = []) throws -> Set<String> {
        Set(try admin.rows(sql, parameters).compactMap { $0[0] })
    }

    // MARK: Rights

    @Test func `deletes and changes what it works with, and no row of a trail or an order's`() throws {
        let database = try migratedDatabase()
        let role = try database.serviceLogin().role
        let admin = try database.admin()
        func tables(with privilege: String) throws -> Set<String> {
            try names(
                admin,
                """
                SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND \(Self.ours) AND has_table_privilege($1, c.oid, $2)
                """,
                [role, privilege]
            )
        }
        // Columns of tables that a feature's page lists are compared with the page.
        let others = try FeaturePage.names("Rights")
        #expect(try tables(with: "DELETE") == Self.deleted)
        #expect(try tables(with: "UPDATE").subtracting(others) == Self.changed)
        for none in ["TRUNCATE", "REFERENCES", "TRIGGER"] { #expect(try tables(with: none) == [], "\(none)") }
        let rows = try admin.rows(
            """
            SELECT c.relname, a.attname, has_column_privilege($1, c.oid, a.attnum, 'UPDATE')
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND \(Self.ours)
                AND has_any_column_privilege($1, c.oid, 'UPDATE') AND NOT has_table_privilege($1, c.oid, 'UPDATE')
            """,
            [role]
        )
        var kept: [String: Set<String>] = [:]
        for row in rows where row[2] == "f" && !others.contains(row[0] ?? "") {
            kept[row[0] ?? "", default: []].insert(row[1] ?? "")
        }
        #expect(kept == Self.fixed)
    }

    @Test func `owns nothing, makes nothing that lasts, and becomes nobody else`() throws {
        let database = try migratedDatabase()
        let role = try database.serviceLogin().role
        let admin = try database.admin()
        let questions = [
            "attributes": """
            SELECT rolname FROM pg_roles WHERE pg_has_role($1, oid, 'MEMBER')
                AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
            """,
            "owned relations": "SELECT relname FROM pg_class WHERE pg_has_role($1, relowner, 'MEMBER')",
            "owned functions": "SELECT proname FROM pg_proc WHERE pg_has_role($1, proowner, 'MEMBER')",
            "schemas": "SELECT nspname FROM pg_namespace WHERE has_schema_privilege($1, oid, 'CREATE')",
            "databases": """
            SELECT datname FROM pg_database WHERE datname = current_database() AND has_database_privilege($1, oid, 'CREATE')
            """,
            "sequences": """
            SELECT relname FROM pg_class
            WHERE CASE relkind WHEN 'S' THEN has_sequence_privilege($1, oid, 'USAGE, UPDATE') END
            """,
            "functions of the server": """
            SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'pg_catalog'::regnamespace
                AND has_function_privilege($1, p.oid, 'EXECUTE') AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
            """,
            "default privileges": "SELECT 'some' FROM pg_default_acl WHERE $1 <> ''",
        ]
        for (what, sql) in questions { #expect(try names(admin, sql, [role]) == [], "\(what)") }
        let roles = "SELECT rolname FROM pg_roles WHERE rolname <> $1 AND pg_has_role($1, oid, 'MEMBER')"
        #expect(try names(admin, roles, [role]) == ["sallyport_service"])
    }

    /// What somebody tries who can run any statement as the program.
    private static let attacks = [
        "UPDATE webview_session_event SET outcome = 'opened'", "DELETE FROM webview_session_event",
        "TRUNCATE webview_session_event",
        "INSERT INTO webview_session_event SELECT * FROM webview_session_event ON CONFLICT (webview_session_id, ordinal, at) DO UPDATE SET outcome = ''",
        "INSERT INTO webview_session_event SELECT * FROM webview_session_event",
        "UPDATE webview_session_trail SET outcome = 'opened'",
        "DELETE FROM webview_session_trail",
        "INSERT INTO operator_event (operator, command, target) VALUES ('a', 'b', 'c')",
        "MERGE INTO operator_event AS t USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE",
        "UPDATE operator_event SET command = ''", "DELETE FROM operator_event", "UPDATE event SET type = ''",
        "DELETE FROM merchant_order", "DELETE FROM payment_object", "DELETE FROM payment_operation",
        "DELETE FROM webview_session",
        "UPDATE merchant_order SET webview_session_id = '00000000-0000-7000-8000-000000000000'",
        "UPDATE payment_object SET webview_session_id = '00000000-0000-7000-8000-000000000000'",
        "UPDATE payment_operation SET operation_id = '00000000-0000-7000-8000-000000000000'",
        "SELECT * FROM webview_session_event FOR UPDATE",
        "SELECT 1; LOCK TABLE webview_session_event IN ACCESS EXCLUSIVE MODE",
        "COPY webview_session_event FROM PROGRAM 'true'", "COPY (SELECT 1) TO PROGRAM 'true'",
        "COPY webview_session_event TO '/tmp/trail'",
        "CREATE RULE r AS ON INSERT TO webview_session_event DO INSTEAD NOTHING",
        "CREATE TRIGGER t BEFORE INSERT ON webview_session_event FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "CREATE POLICY p ON webview_session_event USING (false)",
        "ALTER TABLE webview_session_event DISABLE TRIGGER ALL",
        "ALTER TABLE webview_session_event RENAME TO other", "DROP TABLE webview_session_event",
        "CREATE INDEX ON webview_session_event (op)",
        "CREATE TABLE public.other (x integer)", "CREATE SCHEMA other", "CREATE DATABASE other",
        "CREATE EXTENSION dblink",
        "CREATE FUNCTION public.date_trunc(text, timestamptz) RETURNS timestamptz LANGUAGE sql AS 'SELECT $2'",
        "CREATE OPERATOR public.+ (LEFTARG = timestamptz, RIGHTARG = interval, FUNCTION = timestamptz_pl_interval)",
        "ALTER FUNCTION partition_keep(interval, integer) RENAME TO other",
        "ALTER FUNCTION partition_drop_expired RESET ALL",
        "CREATE PUBLICATION p FOR ALL TABLES", "CREATE EVENT TRIGGER e ON sql_drop EXECUTE FUNCTION nothing()",
        "SET ROLE sallyport", "SET SESSION AUTHORIZATION sallyport", "SET session_replication_role = replica",
        "ALTER ROLE sallyport_service SUPERUSER", "CREATE ROLE other", "GRANT sallyport TO CURRENT_USER",
        "CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE c AS 'x'", "DROP OWNED BY sallyport",
        "REASSIGN OWNED BY sallyport TO CURRENT_USER",
        "UPDATE pg_class SET relname = 'other' WHERE relname = 'webview_session_event'", "ALTER SYSTEM SET fsync = off",
        "SELECT setval('operator_event_event_id_seq', 1)", "SELECT nextval('operator_event_event_id_seq')",
        "SELECT pg_read_file('PG_VERSION')", "SELECT lo_import('/etc/passwd')", "SELECT pg_reload_conf()",
        "SELECT partition_drop('webview_session_event')",
        "SELECT partition_drop_one('{webview_session_event}', '{webview_session_event}')",
    ]

    @Test func `is refused each statement that could change a trail or take an order away`() throws {
        let database = try migratedDatabase(isAged: true)
        let service = try PostgresAdmin(url: database.serviceLogin().url)
        for sql in Self.attacks {
            let error = #expect(throws: PostgresError.self, "\(sql)") { try service.run(sql) }
            // Refused for want of a right, not for its spelling.
            #expect(["42501", "42939"].contains(error?.sqlState), "\(sql): \(error.debugDescription)")
        }
    }

    // MARK: Functions

    @Test func `finds the functions with their owner's rights in one place, and no other before it`() throws {
        let database = try migratedDatabase()
        let role = try database.serviceLogin().role
        let rows = try database.admin().rows(
            """
            SELECT p.oid::regprocedure, coalesce((SELECT c FROM unnest(p.proconfig) AS c WHERE c LIKE 'search_path=%'), ''),
                p.prorettype::regtype
            FROM pg_proc AS p WHERE p.prosecdef AND has_function_privilege($1, p.oid, 'EXECUTE') ORDER BY 1::text
            """,
            [role]
        )
        #expect(rows.compactMap { $0[0] }.sorted() == FeatureList.all.trustedFunctions.sorted())
        #expect(Set(rows.map { $0[1] }) == ["search_path=public, pg_temp"])
        #expect(!rows.contains { $0[2] == "trigger" }, "anybody may put it on a table of their own")
    }

    @Test func `takes nothing away by any function, whatever it hands over`() throws {
        let database = try migratedDatabase(isAged: true)
        let siege = try Siege(database)
        #expect(siege.functions.count > 40)
        #expect(try siege.losses() == [])
        // It has come through to those that drop and delete.
        let left = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'webview_session_event'::regclass"
        #expect(try #require(database.admin().rows(left)[0][0].flatMap { Int($0) }) < 10)
    }

    @Test func `takes nothing away by what it puts before the functions`() throws {
        let database = try migratedDatabase(isAged: true)
        let siege = try Siege(database)
        try siege.twistSession()
        #expect(try siege.losses() == [])
    }

    @Test(arguments: [
        (
            "CREATE FUNCTION tidy(keep interval) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp"
                + " AS $$ DELETE FROM webview_session_event WHERE webview_session_id < id_floor(now() - keep) $$",
            "tidy(interval): webview_session_event"
        ),
        (
            "CREATE FUNCTION correct(who uuid, word text) RETURNS void LANGUAGE sql SECURITY DEFINER"
                + " AS $$ UPDATE webview_session_event SET outcome = word WHERE webview_session_id = who $$",
            "correct(uuid,text): webview_session_event"
        ),
        (
            "CREATE PROCEDURE forget(objects text[], at point) LANGUAGE sql SECURITY DEFINER"
                + " AS $$ DELETE FROM payment_object $$",
            "forget(text[],point): no arguments of type point"
        ),
    ])
    func `is found out where a migration adds a function that could`(sql: String, loss: String) throws {
        let database = try migratedDatabase(isAged: true)
        try database.admin().run(sql)
        #expect(try Siege(database).losses().contains(loss))
    }

    @Test func `is told of by the doctor where it may call such a function`() async throws {
        try await withRig { rig in
            try rig.sql("CREATE FUNCTION tidy(keep interval) RETURNS void LANGUAGE sql SECURITY DEFINER AS 'SELECT'")
            func functionsBeyond() async throws -> String {
                try await rig.client.read(FeatureList.all.rightsStatement()).first().functionsBeyond
            }
            #expect(try await functionsBeyond() == "tidy(interval)")
            try rig.sql("REVOKE EXECUTE ON FUNCTION tidy FROM PUBLIC")
            #expect(try await functionsBeyond() == "")
        }
    }
}
