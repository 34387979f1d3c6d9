import Checkout
import EventIO
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Telemetry
import Testing

/// The answer to a statement gets lost: the client gives the connection up while the server is held back by a lock.
@Suite("A lost answer")
struct OutcomeTests {
    @Test(arguments: ["issue", "open", "review", "place", "purchase", "release", "settle", "cancel"])
    func `of a statement that was not committed is an unknown outcome, not a guess`(operation: String) async throws {
        let database = try migratedDatabase()
        let (crossing, attempt) = try await withRig(on: database) { rig in
            try await rig.prepared(for: operation)
        }
        try await withLostAnswers(database) { rig in
            let error = await #expect(throws: StoreError.self) {
                try await rig.perform(operation, crossing, attempt, by: rig.caller())
            }
            #expect(error?.code == .outcomeUnknown)
        }
    }

    @Test func `of an open that was committed is found, with the token that was sent`() async throws {
        let database = try migratedDatabase()
        let crossing = try await withRig(on: database) { rig in
            let crossing = try await rig.issued()
            // What the statement of request "lost" leaves when it commits: its change and its audit row.
            try rig.commit("open", "opened", crossing, "tab_hash = '\\x\(Hex.encode(Fixed.tab(crossing).hash.bytes))'")
            return crossing
        }
        try await withLostAnswers(database) { rig in
            let request = Fixed.openRequest(rig, crossing)
            let outcome = try await request(Caller(internal: "test", request: "lost"))
            #expect(word(outcome) == "opened")
            #expect(outcome.opened?.token.hash == Fixed.tab(crossing).hash)
        }
    }

    @Test func `of an open whose token was replaced since is no open any more`() async throws {
        let database = try migratedDatabase()
        let crossing = try await withRig(on: database) { rig in
            let crossing = try await rig.issued()
            try rig.commit("open", "opened", crossing, "tab_hash = sha256('somebody else')")
            return crossing
        }
        try await withLostAnswers(database) { rig in
            let error = await #expect(throws: StoreError.self) {
                try await Fixed.openRequest(rig, crossing)(Caller(internal: "test", request: "lost"))
            }
            #expect(error?.code == .outcomeUnknown)
        }
    }

    @Test(arguments: ["review", "place", "release", "settle", "cancel"])
    func `of a statement that was committed is found by its audit row`(operation: String) async throws {
        let database = try migratedDatabase()
        let (crossing, attempt) = try await withRig(on: database) { rig in
            let prepared = try await rig.prepared(for: operation)
            // The statement itself, whose answer we pretend not to have seen.
            try await rig.perform(operation, prepared.0, prepared.1, by: Caller(internal: "test", request: "lost"))
            return prepared
        }
        try await withLostAnswers(database) { rig in
            try await rig.perform(operation, crossing, attempt, by: Caller(internal: "test", request: "lost"))
        }
    }

    @Test func `of a purchase whose lease another holds by now is an unknown outcome`() async throws {
        let database = try migratedDatabase()
        let crossing = try await withRig(on: database) { rig in
            let crossing = try await rig.placed()
            _ = try await rig.broker.purchase(
                crossing.purchase(rig),
                by: Caller(internal: "test", request: "lost")
            )
            return crossing
        }
        try await withLostAnswers(database) { rig in
            let error = await #expect(throws: StoreError.self) {
                _ = try await rig.broker.purchase(
                    crossing.purchase(rig),
                    by: Caller(internal: "test", request: "lost")
                )
            }
            #expect(error?.code == .outcomeUnknown)
        }
    }
}

/// A broker whose chance is known, so that a test can know the token it will mint.
private enum Fixed {
    /// The token that a broker with this chance mints for a webview session.
    static func tab(_ crossing: Crossing) -> TabToken {
        TabToken.mint(for: crossing.webviewSession, random: Zeros())
    }

    static func openRequest(
        _ rig: Rig,
        _ crossing: Crossing
    ) -> (Caller) async throws -> OpenOutcome<OpenedTab> {
        { caller in
            let broker = try Broker(
                store: rig.store,
                policy: rig.broker.policy,
                limits: rig.limits,
                random: Zeros(),
                clock: SystemClock(),
                metrics: MetricsRegistry()
            )
            return try await broker.open(crossing.ticket, tab: nil, proof: nil, by: caller)
        }
    }

    private final class Zeros: RandomSource {
        func append(_ count: Int, to output: inout [UInt8]) {
            output.append(contentsOf: repeatElement(0, count: count))
        }
    }
}

/// Runs a body on a broker whose writes reach the server, but whose answers do not come in time.
private func withLostAnswers(
    _ database: TestDatabase,
    _ body: @escaping @Sendable (Rig) async throws -> Void
) async throws {
    // Writers of the trail wait behind this lock, readers do not.
    let holder = try database.admin()
    try holder.run("BEGIN; LOCK TABLE webview_session_event IN SHARE MODE")
    let impatient: @Sendable (inout PostgresConfiguration) -> Void = { $0.answerTimeout = .milliseconds(1_500) }
    try await withRig(on: database, configure: impatient, body)
}

extension Rig {
    /// A webview session in the state that an operation starts from.
    fileprivate func prepared(for operation: String) async throws -> (Crossing, PurchaseAttempt?) {
        switch operation {
        case "issue", "open": return (try await issued(), nil)
        case "review": return (try await opened(), nil)
        case "place", "cancel": return (try await reviewed(), nil)
        case "purchase": return (try await placed(), nil)
        default:
            let (crossing, attempt) = try await purchasing()
            return (crossing, attempt)
        }
    }

    /// Performs an operation; fails unless it succeeds.
    fileprivate func perform(
        _ operation: String,
        _ crossing: Crossing,
        _ attempt: PurchaseAttempt?,
        by caller: Caller
    ) async throws {
        switch operation {
        case "issue":
            let request = IssueRequest(client: .iosApp, order: try order(), proof: crossing.proof)
            #expect(try await word(broker.issue(request, by: caller)) == "issued")
        case "open":
            let outcome = try await broker.open(crossing.ticket, tab: nil, proof: nil, by: caller)
            #expect(word(outcome) == "opened")
        case "review":
            let tab = try #require(crossing.tab)
            #expect(try await word(broker.review(tab, session(crossing.webviewSession), by: caller)) == "reviewed")
        case "place", "cancel":
            let tab = try #require(crossing.tab)
            let ticket = try crossing.returnTicket(self)
            if operation == "place" {
                #expect(try await word(broker.place(tab, ticket: ticket, total: nil, by: caller)) == "placed")
            } else {
                #expect(try await word(broker.cancel(tab, ticket: ticket, by: caller)) == "canceled")
            }
        case "purchase":
            let outcome = try await broker.purchase(crossing.purchase(self), by: caller)
            #expect(word(outcome) == "begin")
        case "release":
            #expect(try await broker.release(try #require(attempt), by: caller))
        default:
            let end = Authorization(answer: Rig.answer, chargePermission: nil, charge: nil)
            #expect(try await broker.settle(try #require(attempt), as: .authorized(end), by: caller))
        }
    }

    /// Leaves what a statement of request "lost" leaves when it commits.
    fileprivate func commit(
        _ operation: String,
        _ outcome: String,
        _ crossing: Crossing,
        _ change: String
    ) throws {
        try sql(
            """
            WITH u AS (
                UPDATE webview_session SET state = '\(outcome)', outcome = '\(outcome)', events = events + 1, \(change)
                WHERE webview_session_id = '\(crossing.webviewSession)' RETURNING *
            )
            INSERT INTO webview_session_event (webview_session_id, at, ordinal, to_state, op, outcome, peer, request)
            SELECT webview_session_id, now(), events, state, '\(operation)', outcome, 'test', 'lost' FROM u
            """
        )
    }
}
