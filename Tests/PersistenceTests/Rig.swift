import Commerce
import EventIO
import Persistence
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Telemetry
import TestKit

/// A broker on a loop, with a database of its own.
final class Rig {
    let broker: Broker
    let store: PostgresSessionStore
    let client: PostgresClient
    let limits: FlowLimits
    let reactor: Reactor
    /// A second way to the database: for looking, and for moving its deadlines.
    let admin: PostgresAdmin
    private var requests = 0

    static let orderReference = "0b3f2c1d-0000-4000-8000-00000000000a"
    static let otherReference = "0b3f2c1d-0000-4000-8000-00000000000b"
    static let details = PrivateDetails(
        buyer: Buyer(name: "購入者カナリア", email: "canary@example.com"),
        address: Address([.name: "購入者カナリア", .stateOrRegion: "東京都"])
    )

    init(reactor: Reactor, client: PostgresClient, admin: PostgresAdmin, policy: BrokerPolicy) throws {
        self.reactor = reactor
        self.client = client
        self.admin = admin
        limits = FlowLimits(policy: policy)
        store = PostgresSessionStore(client: client, policy: policy)
        broker = try Broker(
            store: store,
            policy: policy,
            limits: limits,
            random: reactor.random,
            clock: SystemClock(),
            metrics: MetricsRegistry()
        )
    }

    /// A caller with a request id of its own.
    func caller(_ key: UInt64 = 1) -> Caller {
        requests += 1
        return Caller(network: "192.0.2.0/24", bucketKey: key, userAgent: "test", request: "request-\(requests)")
    }

    func order() throws -> Order { try Catalogue.sample.order(["hd8": 1, "hd10": 1]) }

    /// The session of the provider for a flow.
    func session(
        _ flow: FlowID,
        _ reference: String = Rig.orderReference,
        postage: Yen = Yen(540)
    ) -> ReviewedSession {
        ReviewedSession(
            orderReference: reference,
            merchantReference: flow.description,
            postage: postage,
            details: Rig.details
        )
    }
}

/// Where the migrations of this checkout are.
let migrationsFolder: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/") + "/migrations"
}()

/// Runs a body on a loop with a broker on a database of its own.
func withRig<Value: Sendable>(
    _ profile: Profile = .standard,
    role: String? = "sallyport_service",
    adjust: @Sendable (inout BrokerPolicy) -> Void = { _ in },
    _ body: @escaping @Sendable (Rig) async throws -> Value
) async throws -> Value {
    var policy = BrokerPolicy(profile: profile)
    policy.limits = .none
    adjust(&policy)
    let database = try TestDatabase(migrations: migrationsFolder)
    return try await withRig(on: database, policy: policy, role: role, body)
}

/// Runs a body on a loop with a broker on a database that others may use too.
func withRig<Value: Sendable>(
    on database: TestDatabase,
    policy: BrokerPolicy,
    role: String? = "sallyport_service",
    _ body: @escaping @Sendable (Rig) async throws -> Value
) async throws -> Value {
    let url = database.url.reveal()
    let options = role.map { "?options=-c%20role%3D\($0)%20-c%20plan_cache_mode%3Dforce_generic_plan" } ?? ""
    let separated = url.contains("?") ? options.replacingFirst("?", with: "&") : options
    let configuration = try PostgresConfiguration(url: Secret(url + separated))
    return try await withLoop { reactor in
        let client = PostgresClient(reactor: reactor, configuration: configuration, logger: .silent)
        client.start()
        defer { client.close() }
        try await client.waitUntilReady(within: .seconds(20))
        let rig = try Rig(reactor: reactor, client: client, admin: database.admin(), policy: policy)
        return try await body(rig)
    }
}

extension BrokerPolicy.Limits {
    /// No limits, for tests of other things.
    static var none: BrokerPolicy.Limits {
        var limits = BrokerPolicy.Limits()
        limits.issuesPerMinute = nil
        limits.flowsPerInstall = nil
        limits.flowsTotal = nil
        limits.unknownPerMinute = nil
        return limits
    }
}

extension String {
    func replacingFirst(_ character: Character, with other: Character) -> String {
        guard let index = firstIndex(of: character) else { return self }
        return self[..<index] + String(other) + self[self.index(after: index)...]
    }
}
