import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Telemetry
import TestKit
import Testing

/// Runs a body on a loop of its own with a connected client; ends both.
func withClient<Value: Sendable>(
    _ url: Secret<String>,
    metrics: MetricsRegistry = MetricsRegistry(),
    clock: any LoopClock = SystemClock(),
    configure: @Sendable (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (PostgresClient, Reactor) async throws -> Value
) async throws -> Value {
    var configuration = try PostgresConfiguration(url: url)
    // A busy machine is no fault: only the limits that a test is about are short.
    configuration.lockTimeout = .seconds(60)
    configuration.statementTimeout = .seconds(60)
    configuration.connectTimeout = .seconds(60)
    configuration.answerTimeout = .seconds(60)
    configuration.maximumPendingAge = .seconds(60)
    configuration.maximumQueueWait = .seconds(60)
    configuration.heartbeatInterval = .seconds(60)
    configuration.stallTimeout = .seconds(60)
    configure(&configuration)
    let settings = configuration
    return try await withLoop(clock: clock) { reactor in
        let client = PostgresClient(reactor: reactor, configuration: settings, logger: .silent, metrics: metrics)
        client.start()
        defer { client.close() }
        try await client.waitUntilReady(within: .seconds(60))
        return try await body(client, reactor)
    }
}

/// Runs a body on a loop of its own, and ends it.
func withLoop<Value: Sendable>(
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (Reactor) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop(name: "test", logger: .silent, clock: clock)
    try loop.start()
    defer {
        loop.stop()
        loop.join()
    }
    return try await loop.run(body)
}

/// The code of the failure of a body, or `nil` when it succeeds.
func failure(
    _ body: () async throws(PostgresError) -> ResultSet
) async -> PostgresError.Code? {
    do throws(PostgresError) {
        _ = try await body()
        return nil
    } catch {
        return error.code
    }
}

extension Parameters {
    /// Parameters of whole numbers.
    init(_ numbers: Int64...) {
        self.init()
        for number in numbers { append(int64: number) }
    }
}

/// Collects what became of calls, on one loop.
final class Outcomes {
    /// In the order in which the calls ended: a name, and the code of the failure.
    private(set) var ended: [(name: String, code: PostgresError.Code?)] = []

    /// Starts a call as a task of its own.
    func start(
        _ name: String = "",
        on reactor: Reactor,
        _ body: @escaping () async throws(PostgresError) -> ResultSet
    ) -> Task<Void, Never> {
        reactor.startTask { self.ended.append((name, await failure(body))) }
    }

    /// How many ended with a code, or well.
    func count(_ code: PostgresError.Code?) -> Int { ended.filter { $0.code == code }.count }
}

extension PostgresClient {
    /// Lets a turn of the loop pass, so that what was started before is at the server.
    func passTurn() async throws {
        _ = try await read(Statement(name: "pass", sql: "SELECT 1"))
    }
}

extension PostgresAdmin {
    /// Asks until the answer is yes; the server's own state is what is waited for.
    func wait(until condition: String) throws {
        let patience = Patience()
        while patience.isLeft {
            if try rows("SELECT \(condition)")[0][0] == "t" { return }
        }
        Issue.record("never true: \(condition)")
    }

    /// Waits until a statement in this database waits for a lock.
    func waitForBlocked(_ count: Int = 1) throws {
        try wait(
            until: """
                (SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock') >= \(count)
                """
        )
    }

    /// One number.
    func number(_ sql: String) throws -> Int {
        Int(try rows(sql)[0][0] ?? "") ?? -1
    }
}
