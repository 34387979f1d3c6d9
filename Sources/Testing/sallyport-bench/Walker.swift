import EventIO
import HTTPCore
import IntegrationKit
import Primitives

/// Where the parties of a crossing are.
struct ShopAddress: Sendable {
    let server: String
    let simulator: String
    let authorityPath: String

    /// Three words: server, simulator, authority.
    init(_ words: ArraySlice<String>) {
        let words = Array(words)
        server = words[0]
        simulator = words[1]
        authorityPath = words[2]
    }

    /// What the Host field of a request to the server holds.
    var host: String { String(server.drop { $0 != "/" }.dropFirst(2)) }
}

/// Walks buyers through crossings: app, tab and the provider's pages, over keep-alive connections; lives on one loop.
final class Walker {
    /// How many requests of a whole crossing go to the server; the provider's pages are asked for as many again.
    private static let requestsPerCrossing = 9
    /// How many webview sessions are taken to the purchase at a time.
    private static let placeWidth = 32

    private let reactor: Reactor
    private let shop: ShopAddress
    private let http: TestClient
    private let client: ShopClient
    private var begun = 0
    private var failures: [String] = []
    private var microseconds: [Int] = []
    private var output = ""

    init(_ reactor: Reactor, _ shop: ShopAddress) {
        self.reactor = reactor
        self.shop = shop
        http = TestClient(on: ClientLoop { shop.authorityPath })
        client = ShopClient(http, simulator: shop.simulator, host: shop.host)
    }

    /// Takes webview sessions up to the purchase and prints what it will be asked with.
    func place(_ count: Int) async throws {
        try await autopilot()
        let workers = (0..<min(count, Walker.placeWidth)).map { _ in
            Worker(reactor) { [self] in
                while begun < count {
                    begun += 1
                    let crossing = try await toPurchase()
                    let form = FormCoding.encode(crossing.purchaseForm)
                    output += "\(CookieName.app)=\(crossing.appProof)\t\(form)\n"
                }
            }
        }
        for worker in workers { try await worker.end() }
        StandardStream.output.write(Array(output.utf8))
    }

    /// Walks whole crossings for some seconds and prints what came of them.
    func cross(seconds: Int, width: Int) async throws {
        try await autopilot()
        let clock = SystemClock()
        let start = clock.monotonicNow()
        let end = start + .seconds(seconds)
        let workers = (0..<width).map { _ in
            Worker(reactor) { [self] in
                while clock.monotonicNow() < end { await measured(clock) }
            }
        }
        for worker in workers { try await worker.end() }
        let elapsed = Walker.microseconds(clock.monotonicNow() - start)
        microseconds.sort()
        let text = """
            {"crossings":\(microseconds.count),"requests":\(microseconds.count * Walker.requestsPerCrossing),\
            "us":\(elapsed),"bad":\(failures.count),"p50":\(percentile(500)),"p99":\(percentile(990)),\
            "p999":\(percentile(999))}

            """
        StandardStream.output.write(text)
        if let first = failures.first { StandardStream.error.write("\(first)\n") }
    }

    private func measured(_ clock: SystemClock) async {
        let start = clock.monotonicNow()
        do {
            try await whole()
            microseconds.append(Walker.microseconds(clock.monotonicNow() - start))
        } catch {
            failures.append("\(error)")
        }
    }

    // MARK: Steps

    private func autopilot() async throws {
        try await SimulatorControl(url: shop.simulator, http).nextBuyer(count: 100_000_000)
    }

    private func toPurchase() async throws -> Crossing {
        var crossing = try await client.issue(shop.server)
        try await client.open(&crossing, shop.server)
        try await client.choose(&crossing, shop.server)
        try await client.review(&crossing, shop.server)
        try await client.agree(&crossing, shop.server)
        return crossing
    }

    private func whole() async throws {
        let crossing = try await toPurchase()
        let result = try await client.send("GET", shop.server + "/checkout_result", cookies: crossing.tabJar)
        guard result.status == 200 else { throw UnexpectedAnswer("result", result) }
        let purchase = try await client.purchase(crossing, shop.server)
        guard purchase.status == 200, let receipt = purchase.cookie(CookieName.receipt) else {
            throw UnexpectedAnswer("purchase", purchase)
        }
        let proofs = [(CookieName.app, crossing.appProof), (CookieName.receipt, receipt)]
        let thanks = try await client.send("GET", shop.server + "/thanks", cookies: proofs)
        guard thanks.status == 200 else { throw UnexpectedAnswer("thanks", thanks) }
    }

    // MARK: Figures

    private func percentile(_ perMille: Int) -> Int {
        microseconds.isEmpty ? 0 : microseconds[min(microseconds.count - 1, microseconds.count * perMille / 1000)]
    }

    private static func microseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1_000_000 + Int(duration.components.attoseconds / 1_000_000_000_000)
    }
}
