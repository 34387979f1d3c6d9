import EventIO
import IntegrationKit
import PostgresTestKit
import StrictJSON
import Testing

/// The proof that money is moved once: everything that can go wrong goes wrong while a thousand orders run.
///
/// The standby follows asynchronously, and is cut off for a while before the primary dies. With synchronous replication a
/// failover loses nothing that was answered, and the merchant's repeats would meet their own claims. Here they meet a database
/// that knows nothing of them, or less than they do, so that only the keys at the provider and the steps of
/// docs/backup-and-failover.md stand between a buyer and a second charge.
@Suite("A crowd of buyers at a merchant", .tags(.database, .slow), .serialized)
struct CrowdTests {
    /// How many orders a merchant has.
    private static let orders = 1_000
    /// How many of the buyers have a card that is declined.
    private static let declined = 50
    /// How many orders are under way at once.
    private static let width = 48

    /// Faults by chance, each of them on its own requests.
    private static func injectFaults(_ control: SimulatorControl) async throws {
        let actions: [JSONValue] = [
            ["resetAfter": true], ["resetBefore": true], ["status": 500], ["truncateBody": true],
        ]
        for operation in ["CompleteCheckoutSession", "CaptureCharge", "CreateRefund"] {
            for (number, action) in actions.enumerated() {
                let chance = (permille: 60, seed: "\(operation)\(number)")
                try await control.fault(operation, count: 100_000, chance: chance, action)
            }
        }
    }

    @Test func `pays exactly once each through faults, kills and a failover, and three books agree to the yen`()
        async throws
    {
        let pair = try ReplicatedDatabase(migrations: "migrations", features: migrationFolders)
        try await withProcessShop(deadline: .seconds(1_200)) { shop in
            shop.databaseURL = pair.url
            for name in ["MERCHANT_REQUESTS_PER_MINUTE", "LIMITS_ISSUE_PER_MINUTE", "LIMITS_WEBVIEW_SESSIONS_TOTAL"] {
                shop.settings["SALLYPORT_" + name] = "1000000"
            }
            shop.settings["SALLYPORT_MERCHANT_API"] = "true"
            // Whoever comes first at the provider has the bad cards.
            try await shop.control.nextBuyer(card: "card-3434", count: CrowdTests.declined)
            try await shop.turnAutopilotOn()
            try await CrowdTests.injectFaults(shop.control)
            try shop.rows(MerchantKey.insertion)
            let merchant = CrowdMerchant(shop, [try await shop.startServer(), try await shop.startServer()])
            let troubles = CrowdTroubles(shop, merchant, pair)
            let orders = (0..<CrowdTests.orders).map(CrowdOrder.init)
            _ = try await inParallel(shop.reactor, orders, atMost: CrowdTests.width) { order in
                try await merchant.settle(order)
                try await troubles.next()
            }
            #expect(troubles.areOver)
            let books = CrowdBooks(shop, merchant, orders)
            try await books.recover(width: CrowdTests.width)
            let calls = try await shop.completions()
            #expect(calls.count > CrowdTests.orders, "the faults have met somebody")
            try await books.compare()
        }
        withExtendedLifetime(pair) {}
    }
}

/// What happens to the shop meanwhile; whoever has ended an order sees to it.
private final class CrowdTroubles {
    private enum Trouble {
        /// One of the servers is killed, and another process takes its place.
        case kill(Int)
        /// What is committed from now on will be lost.
        case cut
        case failOver
    }

    private let shop: ProcessShop
    private let merchant: CrowdMerchant
    private let pair: ReplicatedDatabase
    /// Each comes when so many orders have come to their end.
    private var plan: [(orders: Int, trouble: Trouble)] = [
        (120, .kill(0)), (240, .kill(1)), (360, .cut), (0, .failOver), (600, .kill(0)), (720, .kill(1)),
        (840, .kill(0)),
    ]
    private var ended = 0
    private var isBusy = false

    var areOver: Bool { plan.isEmpty && !isBusy }

    init(_ shop: ProcessShop, _ merchant: CrowdMerchant, _ pair: ReplicatedDatabase) {
        self.shop = shop
        self.merchant = merchant
        self.pair = pair
    }

    /// Lets happen what is due.
    func next() async throws {
        ended += 1
        guard !isBusy, let next = plan.first, ended >= next.orders else { return }
        // Some orders have to be lost from their opening to their payment.
        if case .failOver = next.trouble, merchant.paidInLoss < 8 { return }
        isBusy = true
        defer { isBusy = false }
        plan.removeFirst()
        // The list of events is read now and then, at last shortly before a part of it is lost.
        try await merchant.events.read()
        switch next.trouble {
        case .kill(let index):
            try await merchant.servers[index].program.end(.kill)
            merchant.servers[index] = try await shop.startServer()
        case .cut:
            let pair = pair
            merchant.isLosing = true
            try await apart { try pair.cutReplication() }
        case .failOver:
            let pair = pair
            try await apart { try pair.failOver() }
            merchant.isLosing = false
        }
    }

    /// Does what blocks while the orders go on.
    private func apart(_ body: @escaping @Sendable () throws -> Void) async throws {
        let worker = try WorkerThread(name: "operator")
        try await worker.run { Result { try body() } }.get()
    }
}
