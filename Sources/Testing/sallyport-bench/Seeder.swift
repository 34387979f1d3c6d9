import Checkout
import Commerce
import EventIO
import Postgres
import Primitives
import SessionBroker
import Telemetry

/// Makes webview sessions with the broker's own statements and prints a token of each; lives on one loop.
final class Seeder {
    /// How far each webview session is taken.
    enum Kind: String, Sendable {
        case open
        case confirm
    }

    private let reactor: Reactor
    private let client: PostgresClient
    private let broker: Broker
    private let order: Order
    private let caller = Caller(internal: "bench", request: "bench")
    private var started = 0
    private var output: [UInt8] = []

    /// How many webview sessions are made at a time: enough to fill the groups in which the database commits.
    private static let width = 128

    init(_ reactor: Reactor, url: Secret<String>) throws {
        self.reactor = reactor
        var policy = BrokerPolicy()
        policy.limits.issuesPerMinute = nil
        policy.limits.sessionsPerInstall = nil
        policy.limits.sessionsTotal = nil
        policy.limits.unknownPerMinute = nil
        policy.times.launch = .seconds(600)
        policy.times.idle = .seconds(7_200)
        client = PostgresClient(
            reactor: reactor,
            configuration: try PostgresConfiguration(url: url),
            logger: .silent,
            metrics: MetricsRegistry()
        )
        broker = try Broker(
            store: try PostgresSessionStore(client: client, policy: policy),
            policy: policy,
            limits: WebviewSessionLimits(policy: policy),
            random: reactor.random,
            clock: SystemClock(),
            metrics: MetricsRegistry()
        )
        order = try Catalogue.sample.order(["hd8": 1, "hd10": 1])
    }

    /// Makes webview sessions and prints one token a line.
    func run(_ kind: Kind, count: Int) async throws {
        client.start()
        try await client.waitUntilReady(within: .seconds(10))
        let workers = (0..<min(count, Seeder.width)).map { _ in
            Worker(reactor) { try await self.worker(kind, count: count) }
        }
        for worker in workers { try await worker.end() }
        StandardStream.output.write(output)
        client.close()
    }

    private func worker(_ kind: Kind, count: Int) async throws {
        while started < count {
            started += 1
            output += try await token(kind).utf8
            output.append(UInt8(ascii: "\n"))
        }
    }

    private func token(_ kind: Kind) async throws -> String {
        guard case .issued(let issued) = try await broker.issue(IssueRequest(client: .iosApp, order: order), by: caller)
        else {
            throw SeedError.refused
        }
        guard kind == .confirm else { return issued.ticket.text }
        let outcome = try await broker.open(issued.ticket, tab: nil, proof: nil, by: caller)
        guard case .opened(let tab) = outcome else { throw SeedError.refused }
        var address = Address()
        address[.name] = "試験 太郎"
        address[.postalCode] = "100-0001"
        address[.stateOrRegion] = "東京都"
        address[.addressLine1] = "千代田区千代田1-1"
        let session = ReviewedSession(
            orderReference: issued.ticket.webviewSession.description,
            markedSession: issued.ticket.webviewSession,
            postage: PostageRule.sample.postage(to: .tokyo),
            details: PrivateDetails(buyer: Buyer(name: "試験 太郎"), address: address, payment: "Visa ****1111")
        )
        guard case .reviewed = try await broker.review(tab.token, session, by: caller) else { throw SeedError.refused }
        // The first look of a tab is written down; the page that is measured is one that has been seen before.
        guard case .live = try await broker.view(tab.token, by: caller) else { throw SeedError.refused }
        return tab.token.text
    }
}

/// The broker did not do what it does for everybody.
enum SeedError: Error {
    case refused
}
