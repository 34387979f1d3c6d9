import Checkout
import EventIO
import Merchant
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import SessionBroker
import Testing
import Webhooks

/// Sessions in every state, twice: rows are put beside those of some, and the others are to go on.
final class SquattedScene {
    private let rig: Rig
    private let service: PostgresAdmin
    private var victims: [Crossing] = []
    private var others: [WebviewSessionState: Crossing] = [:]
    private var purchase: PurchaseAttempt?

    private static let states: [WebviewSessionState] = [
        .issued, .opened, .reviewed, .placed, .purchasing, .authorized, .declined,
    ]

    init(_ rig: Rig) async throws {
        self.rig = rig
        service = try PostgresAdmin(url: rig.serviceLogin())
        try await rig.webhooks.add(
            UUIDBytes(version7At: SystemClock().now(), random: rig.random),
            url: "https://shop.example/",
            types: [],
            key: SealedWebhookKey(id: "whk_1", sealed: [1, 2, 3])
        )
        for state in Self.states { victims.append(try await rig.webviewSession(in: state)) }
        victims.append(try await rig.paid("S03-0000000-0000001"))
        for state in Self.states where state != .purchasing { others[state] = try await rig.webviewSession(in: state) }
        let (crossing, attempt) = try await rig.purchasing()
        others[.purchasing] = crossing
        purchase = attempt
    }

    // MARK: Squatting

    /// Puts rows beside those of the victims into every table that the role may insert into; how many it took.
    func squat() throws -> Int {
        let tables = try rig.admin.rows(
            """
            SELECT DISTINCT g.table_name FROM information_schema.role_table_grants AS g
            WHERE g.grantee = 'sallyport_service' AND g.privilege_type = 'INSERT' ORDER BY 1
            """
        ).compactMap { $0[0] }
        #expect(tables.count > 15)
        var total = 0
        for table in tables {
            let taken = try squat(table)
            #expect(try taken > 0 || isBound(table), "nothing could be put into \(table)")
            total += taken
        }
        return total
    }

    /// Whether a table takes only what is in another one, or certain words.
    private func isBound(_ table: String) throws -> Bool {
        let sql = "SELECT FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('f', 'c')"
        return try !rig.admin.rows(sql, [table]).isEmpty
    }

    private func squat(_ table: String) throws -> Int {
        let columns = try rig.admin.rows(
            """
            SELECT c.column_name, c.udt_name FROM information_schema.columns AS c
            WHERE c.table_schema = 'public' AND c.table_name = $1 ORDER BY c.ordinal_position
            """,
            [table]
        ).map { (name: $0[0] ?? "", type: $0[1] ?? "") }
        let names = columns.map(\.name).joined(separator: ", ")
        // A key has one time: one without end comes beside the others only under another key.
        let key = try freshKey(of: table)
        let times = changes(columns.filter { $0.type == "timestamptz" }).map { $0.merging(key) { time, _ in time } }
        var taken = 0
        for row in try templates(table, columns) {
            for change in changes(columns) + times + [[:]] {
                let sets = change.map { "'\($0.key)', \($0.value)" }.joined(separator: ", ")
                let sql = """
                    INSERT INTO \(table) (\(names)) OVERRIDING SYSTEM VALUE
                    SELECT \(names) FROM jsonb_populate_record(NULL::\(table), $1::jsonb || jsonb_build_object(\(sets))) RETURNING 1
                    """
                // What the table refuses squats nothing.
                taken += (try? service.rows(sql, [row]).count) ?? 0
            }
        }
        return taken
    }

    /// The columns of a table's key, with what no other row has there.
    private func freshKey(of table: String) throws -> [String: String] {
        let columns = try rig.admin.rows(
            """
            SELECT a.attname, t.typname FROM pg_index AS i
            JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
            JOIN pg_type AS t ON t.oid = a.atttypid WHERE i.indrelid = $1::regclass AND i.indisprimary
            """,
            [table]
        )
        var fresh: [String: String] = [:]
        for column in columns where ["uuid", "text"].contains(column[1]) {
            fresh[column[0] ?? ""] = column[1] == "uuid" ? thisMonth : "gen_random_uuid()::text"
        }
        return fresh
    }

    /// A random id of this month.
    private var thisMonth: String {
        "'\("\(victims[0].webviewSession)".prefix(24))' || right(gen_random_uuid()::text, 12)"
    }

    /// Rows of the victims, or one made of nothing but fitting values.
    private func templates(_ table: String, _ columns: [(name: String, type: String)]) throws -> [String] {
        let isOfSession = columns.contains { $0.name == "webview_session_id" }
        let ids = victims.map { "'\($0.webviewSession)'" }.joined(separator: ", ")
        let rows = try rig.admin.rows(
            "SELECT to_jsonb(t) FROM \(table) AS t\(isOfSession ? " WHERE t.webview_session_id IN (\(ids))" : "") LIMIT 12"
        ).compactMap { $0[0] }
        let made = try columns.map { "'\($0.name)', \(try value(of: $0.type))" }.joined(separator: ", ")
        return try rows + rig.admin.rows("SELECT jsonb_build_object(\(made))").compactMap { $0[0] }
    }

    private func value(of type: String) throws -> String {
        switch type {
        case "uuid": "'\(victims[0].webviewSession)'"
        case "timestamptz": "now()"
        case "date": "current_date"
        case "int2", "int4", "int8": "1"
        case "bool": "true"
        case "bytea": "'\\x00'"
        case "json", "jsonb": "'{}'::json"
        case "_text": "'{}'::text[]"
        case "text": "'x'"
        default: try rig.admin.rows("SELECT quote_literal((enum_range(NULL::\(type)))[1])")[0][0] ?? "NULL"
        }
    }

    /// One changed column in each, to values that a key or a sum breaks at.
    private func changes(_ columns: [(name: String, type: String)]) -> [[String: String]] {
        columns.flatMap { column -> [[String: String]] in
            let values =
                switch column.type {
                case "uuid":
                    victims.map { "'\($0.webviewSession)'" } + [
                        "gen_random_uuid()", "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
                        thisMonth,
                    ]
                case "timestamptz": ["'infinity'", "'-infinity'", "'294276-01-01'", "now() - interval '1 day'"]
                case "int2": ["32767", "-1"]
                case "int4": ["2", "3", "4", "5", "6", "7", "2147483647", "-1"]
                case "int8": ["2", "3", "4", "9223372036854775807", "-1"]
                case "text": ["gen_random_uuid()::text", "''"]
                default: [String]()
                }
            return values.map { [column.name: $0] }
        }
    }

    // MARK: The others

    /// A purchase from its beginning, one that was under way, and all work on many rows.
    func expectOthersToGoOn() async throws {
        _ = try await rig.paid("S03-0000000-0000009")
        let opened = try #require(others[.opened])
        try await rig.review(opened)
        try await rig.place(opened)
        _ = try await rig.broker.purchase(opened.purchase(rig), by: rig.caller())
        try await expectClaims()
        try await expectLists()
        try await expectUpkeep()
        // None of the sessions that wait is left, but those beside which rows were put.
        let progress = try await rig.store.revokeAll(install: nil, by: rig.caller()) { _ in }
        #expect(Set(progress.skipped).isDisjoint(with: others.values.map(\.webviewSession)))
        for state in [WebviewSessionState.issued, .reviewed, .placed, .declined] {
            #expect(try rig.state(#require(others[state])) == .revoked, "\(state)")
        }
        #expect(try rig.state(#require(others[.authorized])) == .authorized)
    }

    private func expectClaims() async throws {
        try rig.sql("UPDATE webview_session SET lease_until = now() - interval '1 second' WHERE state = 'purchasing'")
        try rig.sql("UPDATE webview_session_purchase SET next_at = now() - interval '1 second' WHERE isfinite(next_at)")
        let due = try await rig.store.claimOverdue(limit: 1_000).map(\.webviewSession)
        #expect(due.contains(try #require(others[.purchasing]).webviewSession))
        _ = try await rig.store.claimStuck(limit: 1_000)
        _ = try await rig.orders.claimLeft(limit: 1_000)
        try rig.sql("UPDATE payment_poll SET next_at = now() - interval '1 second' WHERE isfinite(next_at)")
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
        let polls = try await rig.polls.claim(limit: 10_000, attempt: attempt)
        #expect(polls.contains { $0.id == "S03-0000000-0000009-C1" })
        let deliveries = try await rig.webhooks.claim(
            ClaimDemand(limit: 10_000, share: 10_000, lease: .seconds(30)),
            attempt: attempt
        )
        #expect(deliveries.contains { $0.event.type == "session.paid" })
    }

    private func expectLists() async throws {
        _ = try await rig.store.stuckPurchases()
        _ = try await rig.store.alerts(since: WallTime(seconds: 0))
        _ = try await rig.store.skippedSessions()
        _ = try await rig.webhooks.backlog()
        _ = try await PostgresKeyStore(client: rig.client).list()
        let unsettled = PostgresUnsettledStore(client: rig.client)
        _ = try await unsettled.counts()
        _ = try await unsettled.list(underWayFor: .seconds(1))
        _ = try await PostgresEventStore(client: rig.client).page(after: nil, limit: 100)
        _ = try await PostgresOperatorStore(client: rig.client).list(since: WallTime(seconds: 0), limit: 100)
    }

    private func expectUpkeep() async throws {
        let over = try await rig.issued()
        try rig.age(over, seconds: 7_200)
        try rig.moveIDs([over], hours: 3)
        #expect(try await Sweeper(store: rig.store).run(request: "sweep").expired >= 1)
        #expect(try await rig.partitions.make().problem == nil)
        _ = try await rig.dropWebviewSessions()
        _ = try await rig.dropOrders()
        _ = try await rig.notices.prune()
        _ = try await rig.webhooks.purge()
        _ = try await PostgresEventStore(client: rig.client).prune()
        _ = try await PostgresKeyStore(client: rig.client).prune(keep: .seconds(400 * 86_400))
        _ = try await PostgresOperatorStore(client: rig.client).prune(keep: .seconds(400 * 86_400))
    }
}

extension Rig {
    /// A store of endpoints and queues on the rig's client.
    var webhooks: PostgresWebhookStore { PostgresWebhookStore(client: client) }
}
