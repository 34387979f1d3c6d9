import Checkout
import Merchant
import Postgres
import Primitives
import SessionBroker
import Testing
import Webhooks

@Suite("The physical layout")
struct PhysicalTests {
    @Test func `lets a hot statement touch one partition by the primary key`() async throws {
        try await withPlans(of: PostgresSessionStore.hotStatements) { name, plan in
            let scans = plan.split(separator: "\n").filter {
                $0.contains("Scan") && $0.contains(" on public.webview_session")
            }
            for scan in scans where !scan.contains("webview_session_purchase") {
                #expect(scan.contains("Index Scan using") && scan.contains("_pkey"), "\(name): \(scan)")
            }
            for table in ["webview_session", "webview_session_event", "webview_session_private"] {
                let touched = Set(
                    scans.flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("public.\(table)_2") }
                )
                #expect(touched.count <= 1, "\(name): \(touched)")
            }
            // There is something to leave out wherever something is scanned.
            #expect(plan.contains("Subplans Removed") || name == "webview_session_issue", "\(name): \(plan)")
            // Whoever calls an outcome as a function pays for it six times over.
            #expect(!plan.contains("_outcome(") && !plan.contains("is_waiting("), "\(name): \(plan)")
        }
    }

    @Test func `lets a statement for several webview sessions find each by the primary key`() async throws {
        try await withPlans(of: PostgresSessionStore.batchedStatements) { name, plan in
            let scans = plan.split(separator: "\n").filter {
                $0.contains("Scan") && $0.contains(" on public.webview_session")
            }
            #expect(!scans.isEmpty, "\(name)")
            for scan in scans {
                #expect(scan.contains("Index Scan using") && scan.contains("_pkey"), "\(name): \(plan)")
            }
            #expect(plan.contains("= ANY ($1)"), "\(name): \(plan)")
            #expect(!plan.contains("_outcome("), "\(name): \(plan)")
        }
    }

    @Test func `lets a long statement walk along the primary key`() async throws {
        try await withPlans(of: PostgresSessionStore.longStatements) { name, plan in
            let scans = plan.split(separator: "\n").filter {
                $0.contains("Scan") && $0.contains(" on public.webview_session")
            }
            #expect(!scans.isEmpty, "\(name)")
            // What is being bought is a handful of rows.
            for scan in scans where !scan.contains("webview_session_purchase") {
                #expect(scan.contains("Index") && scan.contains("_pkey"), "\(name): \(plan)")
            }
        }
    }

    @Test func `lets a slice of the count be a range of the key, read by one process`() async throws {
        let slice = PostgresSessionStore.longStatements.filter { $0.name == "webview_session_count_slice" }
        // A count of all live webview sessions at once.
        let whole = Statement(
            name: "webview_session_count_live",
            sql: """
                SELECT count(*) FROM (
                    SELECT FROM webview_session AS f
                    WHERE f.webview_session_id >= id_floor(statement_timestamp() - $1 * interval '1 second')
                        AND is_waiting(f.state) AND statement_timestamp() < least(f.idle_until, f.absolute_until)
                    LIMIT $2) AS live
                """,
            parameterTypes: [.int8, .int8]
        )
        #expect(slice.count == 1)
        // Only the work of a processor costs anything, so what may be spread over several is, although there is hardly a row to
        // read; one look at an index would cost too little.
        let eager = """
            SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
            SET min_parallel_index_scan_size = 0; SET max_parallel_workers_per_gather = 2;
            SET random_page_cost = 0; SET seq_page_cost = 0; SET cpu_operator_cost = 1; SET cpu_tuple_cost = 1;
            SET enable_indexscan = off
            """
        try await withPlans(of: slice + [whole], settings: eager) { name, plan in
            #expect(!plan.contains("Parallel") && !plan.contains("Gather"), "\(name): \(plan)")
            guard name == "webview_session_count_slice" else { return }
            let range = plan.split(separator: "\n").first { $0.contains("Index Cond: ") } ?? ""
            #expect(
                range.contains(".webview_session_id >= $1) AND (") && range.contains(".webview_session_id < $2)"),
                "\(plan)"
            )
            #expect(plan.contains("Limit") && plan.contains("Subplans Removed"), "\(plan)")
        }
    }

    @Test func `lets a sweep look at the months of its webview sessions only`() async throws {
        let sweep = PostgresSessionStore.longStatements.filter { $0.name == "webview_session_sweep_open" }
        #expect(sweep.count == 1)
        try await withPlans(of: sweep) { _, plan in
            // Of webview sessions twice and of orders: what is walked over, and what has ended.
            #expect(plan.split(separator: "\n").count { $0.contains("Subplans Removed") } == 3, "\(plan)")
        }
    }

    @Test func `lets the dispatcher find queues and events without looking at others`() async throws {
        try await withPlans(of: PostgresWebhookStore.dispatcherStatements) { name, plan in
            let scans = plan.split(separator: "\n").filter {
                ($0.contains(" on public.event_queue") || $0.contains(" on public.event"))
                    && $0.contains(" Scan")
            }
            #expect(!scans.isEmpty, "\(name)")
            for scan in scans { #expect(!scan.contains("Seq Scan"), "\(name): \(plan)") }
            #expect(plan.contains("event_queue_due") == (name == "webhook_claim"), "\(name): \(plan)")
        }
    }

    @Test func `lets an operator's replay walk along the primary keys`() async throws {
        try await withPlans(of: PostgresWebhookStore.longStatements) { name, plan in
            let scans = plan.split(separator: "\n").filter {
                ($0.contains(" on public.event_queue") || $0.contains(" on public.event"))
                    && $0.contains(" Scan")
            }
            // Of the months only that of the event is looked at, and a plan without its id has none.
            #expect(!scans.isEmpty || plan.contains("Subplans Removed"), "\(name)")
            for scan in scans { #expect(scan.contains("Index") && scan.contains("_pkey"), "\(name): \(plan)") }
        }
    }

    @Test func `lets a list of orders begin at its cursor, and read one name's alone`() async throws {
        try await withPlans(of: PostgresOrderStore.listStatements) { name, plan in
            let lines = plan.split(separator: "\n").map(String.init)
            let scans = lines.indices.filter {
                lines[$0].contains(" on public.merchant_order_2") && lines[$0].contains("Scan")
            }
            #expect(!scans.isEmpty, "\(name): \(plan)")
            for scan in scans {
                #expect(lines[scan].contains("Index"), "\(name): \(plan)")
                let condition = lines[(scan + 1)...].first { $0.contains("Cond: ") } ?? ""
                #expect(condition.contains("webview_session_id < $1"), "\(name): \(plan)")
                #expect(condition.contains("reference = $") == name.hasSuffix("_named"), "\(name): \(plan)")
            }
            // In the order of the index, month by month: nothing is gathered and sorted first.
            #expect(!plan.contains("Sort"), "\(name): \(plan)")
        }
    }

    @Test func `lets an order be looked up by one look in each month at most`() async throws {
        try await withPlans(of: PostgresOrderStore.lookUpStatements) { name, plan in
            let lines = plan.split(separator: "\n").map(String.init)
            let scans = lines.indices.filter { lines[$0].contains(" on public.") && lines[$0].contains("Scan") }
            #expect(!scans.isEmpty, "\(name): \(plan)")
            for scan in scans {
                #expect(lines[scan].contains("Index"), "\(name): \(plan)")
                let condition = lines[(scan + 1)...].first { $0.contains("Cond: ") } ?? ""
                // Of a row of the ledger the order is found by its key, in its own month.
                let isOrder = lines[scan].contains(" on public.merchant_order")
                let key = isOrder && name == "order_of_object" ? "p.webview_session_id" : "$1"
                #expect(condition.contains("= \(key)"), "\(name): \(plan)")
            }
        }
    }

    @Test func `lets transitions stay on their pages`() async throws {
        try await withRig { rig in
            for _ in 0..<200 { _ = try await rig.authorized() }
            _ = try await rig.client.write(Statement(name: "flush", sql: "SELECT pg_stat_force_next_flush()"))
            _ = try await rig.client.write(Statement(name: "flushed", sql: "SELECT 1"))
            let rows = try rig.admin.rows(
                """
                SELECT sum(n_tup_upd), sum(n_tup_hot_upd) FROM pg_stat_user_tables WHERE relname LIKE 'webview_session\\_2%'
                """
            )
            let updates = try #require(rows[0][0].flatMap { Int($0) })
            let heapOnly = try #require(rows[0][1].flatMap { Int($0) })
            #expect(updates == 200 * 5)
            #expect(heapOnly * 100 >= updates * 95, "\(heapOnly) of \(updates)")
        }
    }

    @Test func `has one index on each table, its key`() async throws {
        try await withRig { rig in
            let rows = try rig.admin.rows(
                """
                SELECT c.relname, count(*), bool_and(i.indisprimary) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
                WHERE c.relname LIKE 'webview_session%' GROUP BY 1
                """
            )
            #expect(rows.count >= 10)
            for row in rows { #expect(row[1] == "1" && row[2] == "t", "\(row)") }
        }
    }

    @Test func `lets the service role neither change the trail nor the schema`() async throws {
        try await withRig { rig in
            try rig.sql("SELECT partition_make('webview_session_event', '2020-01-01Z', '2020-02-01Z')")
            _ = try await rig.authorized()
            let forbidden = [
                "UPDATE webview_session_event SET outcome = 'opened'", "DELETE FROM webview_session_event",
                "TRUNCATE webview_session_event",
                "DELETE FROM webview_session", "TRUNCATE webview_session", "DROP TABLE webview_session",
                "ALTER TABLE webview_session ADD COLUMN x text",
                "CREATE TABLE x (y text)", "SELECT partition_drop('webview_session_event_202001')",
                "UPDATE webview_session_event_202001 SET outcome = 'opened'",
                "DELETE FROM webview_session_event_202001",
            ]
            for (number, sql) in forbidden.enumerated() {
                let error = await #expect(throws: PostgresError.self, "\(sql)") {
                    _ = try await rig.client.write(Statement(name: "forbidden_\(number)", sql: sql))
                }
                #expect(error?.sqlState == "42501", "\(sql)")
            }
        }
    }

    @Test func `keeps a row under two kilobytes`() async throws {
        try await withRig { rig in
            let crossing = try await rig.authorized()
            let size = try rig.cell(crossing, "pg_column_size(webview_session.*)").flatMap { Int($0) }
            #expect(try #require(size) < 1_024)
        }
    }
}

/// Gives a body the plan that is kept for each statement, on a database with several months and days.
private func withPlans(
    of statements: [Statement],
    settings: String = "",
    _ body: @escaping @Sendable (_ name: String, _ plan: String) throws -> Void
) async throws {
    try await withRig { rig in
        let crossing = try await rig.placed()
        for month in 1...6 {
            for table in ["webview_session", "webview_session_event"] {
                try rig.sql(
                    """
                    SELECT partition_make('\(table)',
                        '2020-0\(month)-01Z', timestamptz '2020-0\(month)-01Z' + interval '1 month')
                    """
                )
            }
        }
        for month in 1...6 {
            let first = "2020-0\(month)-01Z"
            try rig.sql(
                "SELECT partition_make('merchant_order', '\(first)', timestamptz '\(first)' + interval '1 month')"
            )
        }
        // As in service.
        try rig.sql(
            "ANALYZE; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET TimeZone = 'UTC'"
        )
        try rig.sql(settings)
        for statement in statements {
            let types = statement.parameterTypes.map(sqlName).joined(separator: ", ")
            let values = statement.parameterTypes.enumerated().map { value($0, $1, crossing.webviewSession) }
            try rig.sql("PREPARE \(statement.name) (\(types)) AS \(statement.sql)")
            let rows = try rig.admin.rows(
                "EXPLAIN (VERBOSE, COSTS OFF) EXECUTE \(statement.name) (\(values.joined(separator: ", ")))"
            )
            try body(statement.name, rows.compactMap { $0[0] }.joined(separator: "\n"))
        }
    }
}

private func sqlName(_ type: PostgresType) -> String {
    switch type {
    case .uuidArray: "uuid[]"
    case .byteaArray: "bytea[]"
    default: "\(type)"
    }
}

private func value(_ index: Int, _ type: PostgresType, _ webviewSession: WebviewSessionID) -> String {
    switch type {
    case .uuid where index <= 1: "'\(webviewSession)'"
    case .uuidArray: "'{\(webviewSession)}'"
    case .int8, .int4: "100"
    case .timestamptz: "'2026-01-01Z'"
    case .text where index == 0: "'{\(webviewSession)}'"
    default: "NULL"
    }
}
