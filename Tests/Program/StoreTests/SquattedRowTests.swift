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

/// Rows that somebody has put there who can run any statement as the program.
@Suite("A row put there by hand")
struct SquattedRowTests {
    // MARK: Trails

    @Test func `in the trail of a session keeps out no step of it`() async throws {
        try await withRig { rig in
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let crossing = try await rig.issued()
            let taken = try service.rows(
                """
                INSERT INTO webview_session_trail (webview_session_id, ordinal, op, outcome, to_state, peer, request)
                SELECT '\(crossing.webviewSession)', n, 'open', 'reused', 'revoked', 'x', 'y' FROM generate_series(1, 9) AS n RETURNING 1
                """
            )
            #expect(taken.count == 9)
            var moving = crossing
            guard
                case .opened(let tab) = try await rig.broker.open(
                    crossing.ticket,
                    tab: nil,
                    proof: crossing.proof,
                    by: rig.caller()
                )
            else { throw Surprise("not opened") }
            moving.tab = tab.token
            try await rig.review(moving)
            try await rig.place(moving)
            guard case .begin(let attempt) = try await rig.broker.purchase(moving.purchase(rig), by: rig.caller())
            else { throw Surprise("not begun") }
            try await rig.settle(attempt)
            let trail = try await rig.store.audit(crossing.webviewSession)
            // Nothing of what happened is lost, and what was added is there to be seen.
            #expect(trail.filter { $0.peer != "x" }.map(\.ordinal) == Array(1...6))
            #expect(trail.count == 15)
        }
    }

    @Test(arguments: ["2020-01-01", "infinity", "-infinity"])
    func `in a trail has the time at which it was put there`(time: String) async throws {
        try await withRig { rig in
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let crossing = try await rig.issued()
            for table in ["webview_session_event", "webview_session_trail"] {
                let error = #expect(throws: PostgresError.self) {
                    try service.run(
                        """
                        INSERT INTO \(table) (webview_session_id, at, ordinal, op, outcome, to_state, peer, request)
                        VALUES ('\(crossing.webviewSession)', '\(time)', 2, 'open', 'stuck', 'opened', 'x', 'y')
                        """
                    )
                }
                #expect(["42501", "42703"].contains(error?.sqlState), "\(table)")
            }
            #expect(try await rig.store.alerts(since: WallTime(seconds: 0)).isEmpty)
        }
    }

    @Test func `in a trail is told from those that the program has written`() async throws {
        var policy = BrokerPolicy.unlimited()
        policy.trailKey = Secret(Array(repeating: 7, count: 32))
        try await withRig(policy) { rig in
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let bought = try await rig.authorized()
            let over = try await rig.opened()
            try rig.age(over, seconds: 7_200)
            try rig.moveIDs([over], hours: 3)
            let revoked = try await rig.reviewed()
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) { _ in }.revoked == 2)
            let start = WallTime(seconds: SystemClock().now().seconds - 3_600)
            // Its rows were moved to another id.
            let moved = try await rig.store.added(since: start, limit: 100)
            #expect(Set(moved.map(\.webviewSession)).count == 1 && moved.allSatisfy { $0.operation != "close" })
            for crossing in [bought, revoked] {
                let trail = try await rig.store.audit(crossing.webviewSession)
                #expect(trail.count > 3 && trail.allSatisfy { !$0.isAdded && $0.mark != nil })
                #expect(trail.allSatisfy { !$0.request.contains(".") })
            }
            let columns = "webview_session_id, ordinal, op, outcome, to_state, peer, request"
            for change in [
                "7, 'close', 'revoked', 'revoked', 'operator', 'revoke-1'",
                "7, op, outcome, to_state, peer, request || 'f'",
                "7, op, outcome, to_state, peer, request", "ordinal, op, 'reused', to_state, peer, request",
            ] {
                try service.run(
                    """
                    INSERT INTO webview_session_trail (\(columns)) SELECT webview_session_id, \(change) FROM webview_session_event
                    WHERE webview_session_id = '\(bought.webviewSession)' AND op = 'open' ORDER BY at LIMIT 1
                    """
                )
            }
            let trail = try await rig.store.audit(bought.webviewSession)
            #expect(trail.filter { !$0.isAdded }.map(\.ordinal) == Array(1...6))
            #expect(trail.filter(\.isAdded).count == 4)
            let alerts = try await rig.store.added(since: start, limit: 100)
            #expect(alerts.filter { $0.webviewSession == bought.webviewSession }.count == 4)
        }
    }

    @Test func `among the events of an order keeps out none of them`() async throws {
        try await withRig { rig in
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let store = PostgresWebhookStore(client: rig.client)
            let id = UUIDBytes(version7At: SystemClock().now(), random: rig.random)
            try await store.add(id, url: "https://a.example/", types: [], key: SealedWebhookKey(id: "k", sealed: [1]))
            let (crossing, attempt) = try await rig.purchasing()
            try service.run(
                """
                INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
                SELECT '\(crossing.webviewSession)', id_new(), n, now(), 'session', 'x', '{}' FROM generate_series(1, 5) AS n;
                """
            )
            try await rig.settle(attempt)
            // Both are there, are listed, and are delivered in their turn.
            let listed = """
                SELECT v.sequence, v.type, w.tail FROM event AS v
                JOIN event_feed AS f ON f.subject_id = v.subject_id AND f.event_id = v.event_id
                JOIN event_queue AS w ON w.subject_id = v.subject_id WHERE v.type <> 'x' ORDER BY 1
                """
            #expect(try rig.admin.rows(listed) == [["1", "session.paid", "5"], ["2", "charge.authorized", "5"]])
        }
    }

    // MARK: Long work

    /// A session whose next step no trail can number; the role may write that.
    private static let refused = "UPDATE webview_session SET events = 2147483647 WHERE webview_session_id = "

    @Test func `stops no revocation of all others, and is named`() async throws {
        try await withRig { rig in
            var crossings: [Crossing] = []
            for _ in 0..<9 { crossings.append(try await rig.issued()) }
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let bad = [crossings[0], crossings[4], crossings[8]].map(\.webviewSession)
            for id in bad { try service.run(Self.refused + "'\(id)'") }
            let progress = try await rig.store.revokeAll(install: nil, by: rig.caller()) { _ in }
            #expect(progress.revoked == 6)
            #expect(progress.skipped.sorted() == bad.sorted())
            let skipped = try await rig.store.skippedSessions()
            #expect(Set(skipped.map(\.webviewSession)) == Set(bad))
            #expect(skipped.allSatisfy { $0.work == .revoke && $0.sqlState == "22003" })
            // Whoever mends them and does it again has all of them.
            try rig.sql("UPDATE webview_session SET events = 1 WHERE state = 'issued'")
            #expect(try await rig.store.revokeAll(install: nil, by: rig.caller()) { _ in }.revoked == 3)
            #expect(try await rig.store.skippedSessions().isEmpty)
        }
    }

    @Test func `stops no expiry of others, and is tried again by itself`() async throws {
        try await withRig { rig in
            var old: [Crossing] = []
            for _ in 0..<9 { old.append(try await rig.issued()) }
            for crossing in old { try rig.age(crossing, seconds: 7_200) }
            try rig.moveIDs(old, hours: 3)
            let service = try PostgresAdmin(url: rig.serviceLogin())
            let ids = try rig.admin.rows("SELECT webview_session_id FROM webview_session ORDER BY 1").compactMap {
                $0[0]
            }
            for index in [0, 3, 4] { try service.run(Self.refused + "'\(ids[index])'") }
            let sweeper = Sweeper(store: rig.store, batch: 4)
            #expect(try await sweeper.run(request: "1").expired == 6)
            #expect(
                try await rig.store.skippedSessions().map { "\($0.webviewSession)" }.sorted() == [
                    ids[0], ids[3], ids[4],
                ]
            )
            // Not in each round, and not at the start of another process either.
            #expect(try await sweeper.run(request: "2").visited == 0)
            #expect(try await rig.store.skippedSessions().allSatisfy { $0.times == 1 })
            try rig.sql("UPDATE webview_session SET events = 1 WHERE state = 'issued'")
            try rig.sql("UPDATE skipped_row SET next_at = statement_timestamp()")
            #expect(try await Sweeper(store: rig.store).run(request: "3").expired == 3)
            #expect(try await rig.store.skippedSessions().isEmpty)
        }
    }

    @Test func `stops nobody who waits for its lock for long`() async throws {
        let database = try migratedDatabase()
        let impatient: @Sendable (inout PostgresConfiguration) -> Void = { $0.lockTimeout = .milliseconds(50) }
        try await withRig(on: database, configure: impatient) { rig in
            let held = try await rig.issued()
            let free = try await rig.issued()
            let service = try PostgresAdmin(url: rig.serviceLogin())
            try service.run(
                "BEGIN; SELECT FROM webview_session WHERE webview_session_id = '\(held.webviewSession)' FOR UPDATE"
            )
            let progress = try await rig.store.revokeAll(install: nil, by: rig.caller()) { _ in }
            #expect((progress.revoked, progress.skipped) == (1, [held.webviewSession]))
            #expect(try rig.state(free) == .revoked)
        }
    }

    @Test func `in the mark of the sweep hides no session from it`() async throws {
        try await withRig { rig in
            let old = try await rig.issued()
            try rig.age(old, seconds: 7_200)
            try rig.moveIDs([old], hours: 3)
            let service = try PostgresAdmin(url: rig.serviceLogin())
            try service.run(
                "INSERT INTO webview_session_sweep (ended_before) VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff')"
            )
            try service.run("INSERT INTO webview_session_sweep VALUES (false, 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            #expect(try await Sweeper(store: rig.store).run(request: "1").expired == 1)
        }
    }

    @Test(arguments: [(1_000, [0]), (1_000, [999]), (1_000, [17, 18, 500]), (7, [0, 1, 2, 3, 4, 5, 6]), (1, [0])])
    func `costs few statements, and none where there is none`(count: Int, refused: [Int]) {
        for bad in [[], refused] {
            var batch = HalvedBatch(count)
            var (place, statements, skipped) = (0, 0, [Int]())
            while place < count {
                statements += 1
                let range = place..<min(count, place + batch.size)
                guard bad.contains(where: range.contains) else {
                    batch.passed()
                    place = range.upperBound
                    continue
                }
                if batch.refused() {
                    skipped.append(place)
                    place += 1
                }
            }
            #expect(skipped == bad)
            let logarithm = Int.bitWidth - count.leadingZeroBitCount
            #expect(statements <= 1 + bad.count * 2 * logarithm, "\(statements)")
        }
    }

    // MARK: Every table

    @Test func `in any table stops nobody else`() async throws {
        try await withRig { rig in
            do {
                let scene = try await SquattedScene(rig)
                #expect(try scene.squat() > 200)
                try await scene.expectOthersToGoOn()
            } catch let error as StoreError {
                Issue.record("\(error.debugDescription)")
            }
        }
    }
}
