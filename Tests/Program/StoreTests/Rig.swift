import Checkout
import Commerce
import Cryptography
import EventIO
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import Program
import ServerCore
import SessionBroker
import Telemetry
import TestKit

/// A broker on a loop, with a database of its own.
final class Rig {
    let broker: Broker
    let store: PostgresSessionStore
    let client: PostgresClient
    let limits: WebviewSessionLimits
    let clock: any WallClock & MonotonicClock
    let reactor: Reactor
    let metrics = MetricsRegistry()
    /// A second way to the database: for looking, and for moving its deadlines.
    let admin: PostgresAdmin
    private let database: TestDatabase
    private var requests = 0
    private let prefix: UInt64

    static let orderReference = "0b3f2c1d-0000-4000-8000-00000000000a"
    static let otherReference = "0b3f2c1d-0000-4000-8000-00000000000b"
    static let details = PrivateDetails(
        buyer: Buyer(name: "購入者カナリア", email: "canary@example.com"),
        address: Address([.name: "購入者カナリア", .stateOrRegion: "東京都"])
    )

    init(
        reactor: Reactor,
        client: PostgresClient,
        database: TestDatabase,
        policy: BrokerPolicy,
        clock: any WallClock & MonotonicClock
    ) throws {
        self.reactor = reactor
        prefix = reactor.random.number(byteCount: 4) << 32
        self.client = client
        self.database = database
        admin = try database.admin()
        self.clock = clock
        limits = WebviewSessionLimits(policy: policy)
        store = try PostgresSessionStore(client: client, policy: policy)
        broker = try Broker(
            store: store,
            policy: policy,
            limits: limits,
            random: reactor.random,
            clock: clock,
            metrics: metrics
        )
    }

    /// A caller with a request id of its own.
    ///
    /// - Parameter key: Its address; sixteen of them make a network.
    func caller(_ key: UInt64 = 1) -> Caller {
        requests += 1
        return Caller(
            keys: ClientKeys(address: key, network: key & ~0xF),
            agent: SHA256.digest(of: Array("test".utf8)),
            serialNumber: prefix | UInt64(requests)
        ) { room in for character in "192.0.2.0/24".utf8 { room.append(character) } }
    }

    /// A caller for whom a merchant's key vouches.
    func keyCaller() -> Caller {
        var caller = caller()
        caller.showsKey = true
        return caller
    }

    /// A broker of another process on the same database, which has seen nothing yet.
    func otherProcess(_ account: OrderAccount = .none) throws -> Broker {
        try Broker(
            store: try PostgresSessionStore(client: client, policy: broker.policy, account: account),
            policy: broker.policy,
            limits: WebviewSessionLimits(policy: broker.policy),
            random: reactor.random,
            clock: clock,
            metrics: metrics
        )
    }

    /// How often the store was asked for a token in vain.
    var missedLookUps: Int {
        metrics.prometheusText().split(separator: "\n")
            .filter { $0.hasPrefix("sallyport_webview_session_outcomes_total") && $0.contains("outcome=\"unknown\"") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            .reduce(0, +)
    }

    /// Counts from zero; what a race does next.
    func nextTurn() -> Int {
        requests += 1
        return requests
    }

    var random: any RandomSource { reactor.random }

    /// A login that is a member of the program's role, and of nothing else.
    func serviceLogin() throws -> Secret<String> { try database.serviceLogin().url }

    /// One more way to the database, for transactions that overlap.
    func another() throws -> PostgresAdmin { try database.admin() }

    /// Changes the database behind the broker's back.
    func sql(_ text: String) throws { try admin.run(text) }

    /// Buys with every proof the crossing has; the word of the outcome.
    func buy(_ crossing: Crossing) async throws -> String {
        word(try await broker.purchase(crossing.purchase(self), by: caller()))
    }

    /// Opens with a ticket and nothing else; the word of the outcome.
    func open(_ ticket: LaunchTicket) async throws -> String {
        word(try await broker.open(ticket, tab: nil, proof: nil, by: caller()))
    }

    func order() throws -> Order { try Catalogue.sample.order(["hd8": 1, "hd10": 1]) }

    /// The session of the provider for a webview session.
    func session(
        _ webviewSession: WebviewSessionID,
        _ reference: String = Rig.orderReference,
        postage: Yen = Yen(540)
    ) -> ReviewedSession {
        ReviewedSession(
            orderReference: reference,
            markedSession: webviewSession,
            postage: postage,
            details: Rig.details
        )
    }
}

/// Where the migrations of this checkout are.
let migrationsFolder = ProjectFolder.path("migrations")

/// The folders in it, in the order of the program.
let migrationFolders = FeatureList.all.migrationFolders

/// A database with the tables of all features, on request with three years in it.
func migratedDatabase(isAged: Bool = false) throws(PostgresError) -> TestDatabase {
    try TestDatabase(migrations: migrationsFolder, features: migrationFolders, isAged: isAged)
}

/// Runs a body on a loop with a broker on a database of its own.
func withRig<Value: Sendable>(
    _ policy: BrokerPolicy = .unlimited(),
    clock: any WallClock & MonotonicClock = SystemClock(),
    clockOffset: Duration = .zero,
    _ body: @escaping @Sendable (Rig) async throws -> Value
) async throws -> Value {
    let database = try migratedDatabase()
    return try await withRig(on: database, policy, clock: clock, clockOffset: clockOffset, body)
}

/// Runs a body on a loop with a broker on a database that others may use too.
func withRig<Value: Sendable>(
    on database: TestDatabase,
    _ policy: BrokerPolicy = .unlimited(),
    clock: any WallClock & MonotonicClock = SystemClock(),
    clockOffset: Duration = .zero,
    configure: @Sendable (inout PostgresConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Rig) async throws -> Value
) async throws -> Value {
    // As in service: without rights on the schema.
    var configuration = try PostgresConfiguration(url: database.serviceURL)
    // Races queue thousands of calls at once.
    configuration.maximumPending = 20_000
    configuration.maximumQueueWait = .seconds(60)
    configuration.maximumPendingAge = .seconds(60)
    // Under a sanitizer every call takes ten times as long; what is tested is the decision, not the pace.
    configuration.lockTimeout = .seconds(30)
    configuration.statementTimeout = .seconds(60)
    configuration.answerTimeout = .seconds(90)
    configure(&configuration)
    let settings = configuration
    await gate.enter()
    defer { gate.leave() }
    return try await withLoop { reactor in
        let client = PostgresClient(reactor: reactor, configuration: settings, logger: .silent)
        client.start()
        defer { client.close() }
        try await client.waitUntilReady(within: .seconds(60))
        let clock = WrongClock(clock: clock, offset: clockOffset)
        let rig = try Rig(reactor: reactor, client: client, database: database, policy: policy, clock: clock)
        return try await body(rig)
    }
}

extension BrokerPolicy {
    /// The defaults of a profile without limits, for tests of other things.
    static func unlimited(_ profile: Profile = .standard) -> BrokerPolicy {
        var policy = BrokerPolicy(profile: profile)
        policy.limits.issuesPerMinute = nil
        policy.limits.sessionsPerInstall = nil
        policy.limits.sessionsTotal = nil
        policy.limits.unknownPerMinute = nil
        return policy
    }
}

/// The calendar clock of a machine that is set wrong.
struct WrongClock: WallClock, MonotonicClock {
    let clock: any WallClock & MonotonicClock
    let offset: Duration

    func now() -> WallTime { clock.now() + offset }

    func monotonicNow() -> MonotonicTime { clock.monotonicNow() }
}

/// Lets only so many rigs work at a time: each has three connections, and the server has an end.
private let gate = DatabaseGate(width: 12)
