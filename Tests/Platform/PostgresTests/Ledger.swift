import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Testing

/// Stores numbers, each once, from many tasks at the same time, and remembers what it was told of each.
final class Ledger {
    /// Told that they are stored.
    private(set) var acknowledged: Set<Int64> = []
    /// Told that they are certainly not.
    private(set) var denied: Set<Int64> = []
    /// Told that nobody knows.
    private(set) var unknown: Set<Int64> = []
    /// The longest time between a call and its outcome.
    private(set) var longest = Duration.zero
    private let client: PostgresClient
    private let reactor: Reactor
    private var tasks: [Task<Void, Never>] = []
    private var next: Int64 = 0
    private var isStopped = false

    /// The statement by which it stores them.
    static let statement = Statement(name: "ledger", sql: "INSERT INTO ledger VALUES ($1)", parameterTypes: [.int8])

    /// The table has no key: what is stored twice shows.
    static let table = "CREATE TABLE ledger (n bigint NOT NULL)"

    init(_ client: PostgresClient, _ reactor: Reactor) {
        self.client = client
        self.reactor = reactor
    }

    /// Begins to store.
    func start(tasks count: Int = 24) {
        for _ in 0..<count {
            tasks.append(reactor.startTask { [self] in while !isStopped { await store() } })
        }
    }

    /// Waits until so many more are acknowledged, and a while for it at most.
    func waitForMore(_ count: Int = 200, sourceLocation: SourceLocation = #_sourceLocation) async {
        let goal = acknowledged.count + count
        await reactor.wait("\(count) more", sourceLocation) { self.acknowledged.count >= goal }
    }

    /// Waits until something was not acknowledged.
    func waitForFailure(sourceLocation: SourceLocation = #_sourceLocation) async {
        await reactor.wait("a failure", sourceLocation) { !self.denied.isEmpty || !self.unknown.isEmpty }
    }

    func stop() async {
        isStopped = true
        for task in tasks { await task.value }
        tasks = []
    }

    /// What was told is true: nothing acknowledged is lost, nothing denied is there, nothing is there twice.
    func expectTruth(_ admin: PostgresAdmin, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let rows = try admin.rows("SELECT n, count(*) FROM ledger GROUP BY n")
        let stored = Set(rows.compactMap { $0[0].flatMap { Int64($0) } })
        #expect(rows.allSatisfy { $0[1] == "1" }, "nothing is stored twice", sourceLocation: sourceLocation)
        #expect(acknowledged.isSubset(of: stored), "nothing acknowledged is lost", sourceLocation: sourceLocation)
        #expect(denied.isDisjoint(with: stored), "nothing denied is stored", sourceLocation: sourceLocation)
        #expect(stored.isSubset(of: acknowledged.union(unknown)), sourceLocation: sourceLocation)
    }

    private func store() async {
        let number = next
        next += 1
        let start = reactor.now
        let code = await failure { () throws(PostgresError) in
            try await client.write(Ledger.statement, Parameters(number))
        }
        switch code {
        case nil: acknowledged.insert(number)
        case .outcomeUnknown: unknown.insert(number)
        default:
            denied.insert(number)
            // While there is no connection every call fails at once: the loop has other things to do, too.
            await reactor.nextTurn()
        }
        longest = max(longest, reactor.now - start)
    }
}

extension Reactor {
    /// Lets turns pass until something is the case.
    func wait(
        _ what: String,
        atMost patience: Duration = .seconds(60),
        _ sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () throws -> Bool
    ) async rethrows {
        let end = now + patience
        while now < end {
            if try condition() { return }
            await self.sleep(for: .milliseconds(2))
        }
        Issue.record("nothing after \(patience): \(what)", sourceLocation: sourceLocation)
    }
}
