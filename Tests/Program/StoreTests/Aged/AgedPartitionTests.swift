import Checkout
import EventIO
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import SessionBroker
import Testing

@Suite("The partitions of a database of three years")
struct AgedPartitionTests {
    @Test func `have rows, in each table that a migration declares`() throws {
        let database = try migratedDatabase(isAged: true)
        let admin = try database.admin()
        for table in try admin.rows("SELECT parent FROM partitioned_table").compactMap({ $0[0] }) {
            let filled = try admin.rows("SELECT count(DISTINCT tableoid) FROM \(table)")[0][0].flatMap { Int($0) } ?? 0
            // A table that nobody fills is planned for as an empty one.
            #expect(
                filled >= 36,
                "\(table): rows in \(filled) partitions; insert some for each row of the table aged, in Tests/Aged/FEATURE.sql"
            )
        }
    }

    @Test func `are made and dropped, although its catalogs have been analysed`() async throws {
        try await withAgedRig { rig in
            try rig.dropComingMonth()
            let made = try await rig.partitions.make()
            #expect((made.count, made.problem ?? "") == (5, ""))
            let webviewSessions = try await rig.dropWebviewSessions()
            let orders = try await rig.dropOrders()
            #expect(webviewSessions.count > 150)
            #expect(orders.count > 60)
            #expect(try await rig.pruneLedger() > 300)
            for dropped in [webviewSessions, orders] { #expect((dropped.overdue, dropped.problem ?? "") == (0, "")) }
            // What is within its retention is there, and a sale finds all it needs.
            let kept = try rig.admin.rows(
                "SELECT count(*) FROM merchant_order WHERE webview_session_id < id_floor(now() - interval '390 days')"
            )
            #expect(kept[0][0] != "0")
            _ = try await rig.paid("S01-1234567-1234567")
        }
    }
}

@Suite("Partitions")
struct PartitionTests {
    @Test func `are made while none can be dropped`() async throws {
        try await withRig { rig in
            try rig.sql(
                """
                CREATE OR REPLACE FUNCTION partition_drop_expired(
                    tables text[], keeps interval[], OUT dropped integer, OUT overdue integer, OUT problem text)
                LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$
                """
            )
            try rig.dropComingMonth()
            await #expect(throws: PostgresError.self) { _ = try await rig.dropWebviewSessions() }
            #expect(try await rig.partitions.make().count == 5)
        }
    }

    @Test func `of other tables are made where those of one cannot be, and what hinders it is told`() async throws {
        try await withRig { rig in
            try rig.dropComingMonth()
            let month = try #require(rig.admin.rows("SELECT to_char(now() + interval '20 days', 'YYYYMM')")[0][0])
            // Somebody has detached it, or made it by hand.
            try rig.sql("CREATE TABLE webview_session_event_\(month) ()")
            let made = try await rig.partitions.make()
            #expect((made.count, made.failed) == (4, 1))
            #expect(
                made.problem?.hasPrefix("webview_session_event of \(month.prefix(4))-\(month.suffix(2))-01: ") == true
            )
            try rig.sql("DROP TABLE webview_session_event_\(month)")
            let rest = try await rig.partitions.make()
            #expect((rest.count, rest.failed) == (1, 0))
        }
    }

    @Test func `past retention go although one of them cannot be dropped`() async throws {
        try await withRig { rig in
            for year in [2020, 2021] {
                for table in ["merchant_order", "event", "payment_operation"] {
                    try rig.sql("SELECT partition_make('\(table)', '\(year)-06-01Z', '\(year)-07-01Z')")
                }
            }
            try rig.sql("CREATE VIEW mine AS SELECT * FROM event_202006")
            let work = try await rig.dropOrders()
            // Its order stays with it, and what came after goes.
            #expect((work.count, work.overdue) == (3, 3))
            #expect(work.problem?.hasPrefix("event_202006: ") == true)
            let left = try rig.admin.rows(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '_202[01]06$' ORDER BY relname"
            )
            #expect(
                left.compactMap { $0[0] } == [
                    "event_202006", "merchant_order_202006", "merchant_order_202106",
                ]
            )
            try rig.sql("DROP VIEW mine")
            #expect(try await rig.dropOrders() == Dropped(count: 3))
        }
    }

    @Test func `of other names, and rows that none of ours takes, are left alone`() async throws {
        try await withRig { rig in
            try rig.sql(
                """
                CREATE TABLE webview_session_event_archive (LIKE webview_session_event);
                ALTER TABLE webview_session_event ATTACH PARTITION webview_session_event_archive
                    FOR VALUES FROM (id_floor('2018-01-01Z')) TO (id_floor('2019-01-01Z'));
                CREATE TABLE webview_session_event_default PARTITION OF webview_session_event DEFAULT;
                """
            )
            #expect(try await rig.partitions.make().problem == nil)
            #expect(try await rig.dropWebviewSessions() == Dropped())
        }
    }

    @Test func `of the present and of what is kept at least stay, whatever the service role asks for`() async throws {
        try await withRig { rig in
            for table in ["webview_session", "webview_session_event"] {
                for days in [60, 150] {
                    try rig.sql(
                        """
                        SELECT partition_make('\(table)', m, m + interval '1 month')
                        FROM date_trunc('month', now() - interval '\(days) days') AS m
                        """
                    )
                }
            }
            let crossing = try await rig.paid("S01-1")
            let events = try rig.events(crossing)
            let intervals = [
                "interval '-100 years'", "interval '0'", "NULL", "interval '-1000 months 30040 days'",
                "interval '1 second'",
            ]
            var number = 0
            for keep in intervals {
                let tables = ["webview_session_private", "webview_session_event", "webview_session", "merchant_order"]
                for call in tables.map({ "partition_drop_expired('{\($0)}', ARRAY[\(keep)]::interval[])" }) + [
                    "ledger_prune(\(keep))"
                ] {
                    for _ in 0..<4 {
                        _ = try await rig.client.work(Statement(name: "drop_\(number)", sql: "SELECT \(call)"))
                        number += 1
                    }
                }
            }
            #expect(try rig.state(crossing) == .authorized)
            #expect(try rig.events(crossing) == events)
            let left = try rig.admin.rows(
                """
                SELECT count(*) FILTER (WHERE relname LIKE 'webview_session\\_event\\_2%'), count(*) FILTER (WHERE relname ~ '^webview_session_2')
                FROM pg_class WHERE relkind = 'r'
                """
            )
            // This month, the next one where it is due, and of the trail the one of sixty days ago.
            let due = try rig.partitionNames().filter { $0.hasPrefix("webview_session_event_2") }.count
            #expect(left[0][0] == "\(due)")
            #expect(due >= 2)
        }
    }
}

@Suite("How far partitions reach")
struct PartitionMarginTests {
    @Test func `is at least ten days, whatever the day`() async throws {
        try await withRig { rig in
            let margin = try await rig.partitions.margin()
            #expect(margin.table == "webview_session_private")
            #expect(margin.days >= 10)
            #expect(!margin.isMissing)
        }
    }

    @Test func `is told of the table where it ends first, to the first gap`() async throws {
        try await withRig { rig in
            let days = try rig.admin.rows(
                "SELECT to_char(now() + n * interval '1 day', 'YYYYMMDD') FROM generate_series(0, 4) AS n"
            )
            let names = days.compactMap { $0[0] }
            try rig.sql("DROP TABLE webview_session_private_\(names[4])")
            #expect(
                try await rig.partitions.margin() == .init(table: "webview_session_private", days: 3, isMissing: false)
            )
            try rig.sql("DROP TABLE webview_session_private_\(names[1])")
            #expect(
                try await rig.partitions.margin() == .init(table: "webview_session_private", days: 0, isMissing: false)
            )
            try rig.sql("DROP TABLE webview_session_private_\(names[0])")
            #expect(
                try await rig.partitions.margin() == .init(table: "webview_session_private", days: 0, isMissing: true)
            )
            #expect(try await rig.partitions.make().count == 3)
            #expect(try await rig.partitions.margin().days >= 10)
        }
    }

    @Test func `has no end where a partition takes what no other takes`() async throws {
        try await withRig { rig in
            for name in try rig.partitionNames() where name.hasPrefix("webview_session_private_") {
                try rig.sql("DROP TABLE \(name)")
            }
            #expect(try await rig.partitions.margin().isMissing)
            try rig.sql("CREATE TABLE webview_session_private_default PARTITION OF webview_session_private DEFAULT")
            let margin = try await rig.partitions.margin()
            #expect(!margin.isMissing)
            #expect(margin.table != "webview_session_private")
            #expect(margin.days >= 20)
        }
    }
}

extension Rig {
    /// Leaves this month as the last that has partitions; in the last days of a month it is the next.
    func dropComingMonth() throws {
        let names = try admin.rows(
            """
            SELECT s.child FROM partition_bounds(
                ARRAY['webview_session', 'webview_session_event', 'merchant_order', 'payment_operation', 'event']::regclass[]) AS s
            WHERE s.since = date_trunc('month', now() + interval '20 days')
            """
        )
        for name in names.compactMap({ $0[0] }) { try sql("DROP TABLE \(name)") }
    }
}

/// Runs a body on a loop with a broker on a database of three years.
func withAgedRig(_ body: @escaping @Sendable (Rig) async throws -> Void) async throws {
    let database = try migratedDatabase(isAged: true)
    try await withRig(on: database) { rig in try await body(rig) }
}
