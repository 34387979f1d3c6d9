import Checkout
import EventIO
import Merchant
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import SessionBroker
import Testing

@Suite("Upkeep")
struct UpkeepTests {
    @Test func `expires what is overdue, once, and leaves the rest`() async throws {
        try await withRig { rig in
            let states: [WebviewSessionState] = [
                .issued, .opened, .reviewed, .placed, .declined, .purchasing, .authorized,
            ]
            var old: [Crossing] = []
            for state in states { old.append(try await rig.webviewSession(in: state)) }
            for crossing in old { try rig.age(crossing, seconds: 7_200) }
            try rig.moveIDs(old, hours: 3)
            let young = try await rig.issued()
            let sweeper = Sweeper(store: rig.store, batch: 2)
            let first = try await sweeper.run(request: "sweep-1")
            #expect(first.visited == 7)
            #expect(first.expired == 5)
            #expect(try rig.admin.rows("SELECT count(*) FROM webview_session WHERE state = 'expired'")[0][0] == "5")
            #expect(try rig.admin.rows("SELECT count(*) FROM webview_session_event WHERE op = 'sweep'")[0][0] == "5")
            #expect(try rig.state(young) == .issued)
            // Each webview session is visited once.
            let second = try await sweeper.run(request: "sweep-2")
            #expect((second.visited, second.expired) == (0, 0))
        }
    }

    @Test func `begins where another process has come to, and a day before`() async throws {
        try await withRig { rig in
            try rig.makeEarlierMonth()
            var old: [Crossing] = []
            for _ in 0..<4 { old.append(try await rig.issued()) }
            for crossing in old { try rig.age(crossing, seconds: 7_200) }
            try rig.moveIDs(Array(old[..<3]), hours: 30)
            try rig.moveIDs([old[3]], hours: 3)
            let first = try await Sweeper(store: rig.store).run(request: "1")
            #expect((first.visited, first.expired) == (4, 4))
            // Made since by a process whose clock is late.
            let late = try await rig.issued()
            try rig.age(late, seconds: 7_200)
            try rig.moveIDs([late], hours: 25)
            let second = try await Sweeper(store: rig.store).run(request: "2")
            #expect((second.visited, second.expired) == (2, 1))
        }
    }

    @Test func `leaves nothing behind that had not ended when it came by`() async throws {
        try await withRig { rig in
            try rig.makeEarlierMonth()
            // Its id says that it is over, its deadlines do not.
            let young = try await rig.issued()
            let over = try await rig.issued()
            try rig.age(over, seconds: 7_200)
            try rig.moveIDs([young], hours: 32)
            try rig.moveIDs([over], hours: 3)
            let sweeper = Sweeper(store: rig.store)
            #expect(try await sweeper.run(request: "0").expired == 1)
            try rig.sql("UPDATE webview_session SET idle_until = statement_timestamp() WHERE state = 'issued'")
            let another = try await Sweeper(store: rig.store).run(request: "another")
            #expect((another.visited, another.expired) == (2, 1))
        }
    }

    @Test func `comes back every hour to what had not ended`() async throws {
        try await withRig { rig in
            let young = try await rig.issued()
            try rig.moveIDs([young], hours: 3)
            let sweeper = Sweeper(store: rig.store)
            #expect(try await sweeper.run(request: "0").visited == 1)
            try rig.sql("UPDATE webview_session SET idle_until = statement_timestamp()")
            for round in 1...60 { #expect(try await sweeper.run(request: "\(round)").visited == 0) }
            #expect(try await sweeper.run(request: "61").expired == 1)
        }
    }

    @Test func `tells within a round what is past the nearer of its deadlines, long before the sweep`() async throws {
        try await withRig { rig in
            let unvisited = try await rig.issued()
            let left = try await rig.placed()
            let live = try await rig.placed()
            let buying = try await rig.webviewSession(in: .purchasing)
            try rig.sql(
                """
                UPDATE webview_session SET idle_until = statement_timestamp()
                WHERE webview_session_id = ANY ('{\(unvisited.webviewSession),\(left.webviewSession),\(buying.webviewSession)}')
                """
            )
            #expect(try await Sweeper(store: rig.store).run(request: "0").visited == 0)
            let life = Duration.seconds(7_200)
            let deadlines = DeadlineSweeper(store: rig.store, life: life, clock: SystemClock(), batch: 3)
            #expect(try await deadlines.round("1") == 2)
            #expect(try rig.events(left) == ["1 session.expired expired"])
            #expect(
                try rig.state(unvisited) == .expired && rig.state(live) == .placed && rig.state(buying) == .purchasing
            )
            // The next round begins anew.
            try rig.sql("UPDATE webview_session SET idle_until = statement_timestamp()")
            #expect(try await deadlines.round("2") == 1)
            #expect(try rig.events(live) == ["1 session.expired expired"])
            #expect(try await deadlines.round("3") == 0 && rig.events(left).count == 1)
        }
    }

    @Test func `passes over what the database refuses to expire, and comes to what is behind it`() async throws {
        try await withRig { rig in
            let refused = try await rig.placed()
            let behind = try await rig.placed()
            try rig.sql(
                """
                UPDATE webview_session SET idle_until = statement_timestamp();
                ALTER TABLE webview_session ADD CONSTRAINT refused
                    CHECK (state <> 'expired' OR webview_session_id <> '\(refused.webviewSession)') NOT VALID
                """
            )
            let deadlines = DeadlineSweeper(store: rig.store, life: .seconds(7_200), clock: SystemClock())
            #expect(try await deadlines.round("1") == 1)
            #expect(try rig.state(behind) == .expired && rig.state(refused) == .placed)
        }
    }

    @Test func `makes partitions ahead and drops those past retention, with what is in them`() async throws {
        try await withRig { rig in
            #expect(try await rig.partitions.make().count == 0)
            #expect(try await rig.dropWebviewSessions() == Dropped())
            try rig.sql(
                """
                SELECT partition_make('webview_session', '2020-01-01Z', '2020-02-01Z'),
                    partition_make('webview_session_event', '2020-01-01Z', '2020-02-01Z'),
                    partition_make('webview_session_private', '2020-01-01Z', '2020-01-02Z')
                """
            )
            let kept = try await rig.reviewed()
            #expect(try await rig.dropWebviewSessions() == Dropped(count: 3))
            #expect(try rig.state(kept) == .reviewed)
        }
    }

    @Test func `lets nobody wait for a drop that a long reader holds up, and makes up for it`() async throws {
        let database = try migratedDatabase()
        // Whoever waits for longer than this behind a drop fails.
        let impatient: @Sendable (inout PostgresConfiguration) -> Void = { $0.lockTimeout = .seconds(10) }
        try await withRig(on: database, configure: impatient) { rig in
            try rig.sql(
                """
                SELECT partition_make('webview_session', '2020-01-01Z', '2020-02-01Z'),
                    partition_make('webview_session_event', '2020-01-01Z', '2020-02-01Z'),
                    partition_make('webview_session_private', '2020-01-01Z', '2020-01-02Z')
                """
            )
            // As a dump does, for hours.
            try rig.sql("BEGIN; LOCK TABLE webview_session, webview_session_event IN ACCESS SHARE MODE")
            var work: Dropped?
            let upkeep = rig.reactor.startTask { work = try? await rig.dropWebviewSessions() }
            var buyers = 0
            while work == nil {
                _ = try await rig.opened()
                buyers += 1
            }
            await upkeep.value
            // Nobody reads the sealed data, so that goes at once.
            #expect(work == Dropped(count: 1, overdue: 2))
            #expect(buyers > 0)
            try rig.sql("COMMIT")
            #expect(try await rig.dropWebviewSessions() == Dropped(count: 2))
        }
    }

    @Test func `makes every partition of a database that was left alone for months`() async throws {
        try await withRig { rig in
            let names = try rig.partitionNames()
            for name in names { try rig.sql("DROP TABLE \(name)") }
            let error = await #expect(throws: StoreError.self) { try await rig.issued() }
            #expect(error?.code == .fault)
            let made = try await rig.partitions.make()
            #expect(made.count == names.count)
            #expect(made.problem == nil)
            _ = try await rig.reviewed()
        }
    }

    @Test(arguments: [-86_400, 86_400])
    func `lets a program whose clock is wrong by a day work as ever`(seconds: Int) async throws {
        try await withRig(.unlimited(), clockOffset: .seconds(seconds)) { rig in
            let crossing = try await rig.authorized()
            guard
                case .receipt(let receipt) = try await rig.broker.receipt(
                    crossing.returnTicket(rig),
                    proof: crossing.proof,
                    tab: nil,
                    by: rig.caller()
                )
            else { throw Surprise("no receipt") }
            #expect(receipt.details == Rig.details)
            // Deadlines are the database's.
            let late = try await rig.issued()
            try rig.age(late, seconds: 300)
            #expect(try await rig.open(late.ticket) == "expired")
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) == 0)
            _ = try await rig.placed()
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) == 1)
        }
    }
}

typealias Dropped = PostgresPartitionStore.Dropped
extension Sweeper {
    /// Visits everything that there is to visit.
    func run(request: String) async throws(StoreError) -> (visited: Int, expired: Int) {
        var (visited, expired) = (0, 0)
        while true {
            let step = try await step(request: request)
            visited += step.visited
            expired += step.expired
            if step.isLast { return (visited, expired) }
        }
    }
}

extension Rig {
    /// A store of partitions on the rig's client.
    var partitions: PostgresPartitionStore { PostgresPartitionStore(client: client) }

    /// Drops webview sessions, trail and sealed data past the usual retention.
    func dropWebviewSessions() async throws -> Dropped {
        let days = Duration.seconds(86_400)
        return try await drop([
            Retention("webview_session_private", keep: days), Retention("webview_session_event", keep: days * 90),
            Retention("webview_session", keep: days * 90),
        ])
    }

    /// Drops orders past retention.
    func dropOrders() async throws -> Dropped {
        let keep = Duration.seconds(400 * 86_400)
        let tables: [(StaticString, Duration)] = [
            ("payment_operation", keep), ("event", keep), ("merchant_order", keep),
        ]
        return try await drop([Retention("orders", tables)])
    }

    /// Deletes what the ledger has of dropped orders.
    func pruneLedger() async throws -> Int {
        try await orders.pruneLedger(keep: .seconds(400 * 86_400))
    }

    private func drop(_ retentions: [Retention]) async throws -> Dropped {
        var all = Dropped()
        for retention in retentions {
            let work = try await drop { () async throws(PostgresError) in try await partitions.drop(retention) }
            all = Dropped(
                count: all.count + work.count,
                overdue: all.overdue + work.overdue,
                problem: all.problem ?? work.problem
            )
        }
        return all
    }

    private func drop(_ step: () async throws(PostgresError) -> Dropped) async throws -> Dropped {
        var all = Dropped()
        while true {
            let work = try await step()
            all += work
            if !work.hasMore { return all }
        }
    }

    /// The names of all partitions.
    func partitionNames() throws -> [String] {
        let rows = try admin.rows(
            """
            SELECT c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid
            WHERE c.relkind = 'r' AND c.relname LIKE 'webview_session%'
            """
        )
        return rows.compactMap { $0[0] }
    }

    /// Makes room for webview sessions of the last days, which in the first days of a month are those of the month before.
    func makeEarlierMonth() throws {
        try sql(
            """
            SELECT partition_make(parent, m, m + interval '1 month')
            FROM unnest(ARRAY['webview_session', 'webview_session_event']) AS parent, date_trunc('month', now() - interval '3 days') AS m
            """
        )
    }

    /// Gives webview sessions ids as if they had been made earlier.
    func moveIDs(_ crossings: [Crossing], hours: Int) throws {
        for crossing in crossings {
            let moved = UUIDBytes(
                high: crossing.webviewSession.high - UInt64(hours * 3_600_000) << 16,
                low: crossing.webviewSession.low
            )
            for table in [
                "webview_session", "webview_session_event", "webview_session_private", "webview_session_purchase",
            ] {
                try sql(
                    "UPDATE \(table) SET webview_session_id = '\(moved)' WHERE webview_session_id = '\(crossing.webviewSession)'"
                )
            }
        }
    }
}

extension DeadlineSweeper {
    /// A whole round; how many it expired.
    fileprivate func round(_ request: String) async throws -> Int {
        var expired = 0
        for number in 0..<1_000 {
            let step = try await step(request: "\(request)-\(number)")
            expired += step.expired
            if step.isLast { return expired }
        }
        throw Surprise("the round has no end")
    }
}
