import Cryptography
import Foundation
import IntegrationKit
import Primitives
import SallyportClient
import Testing

/// Carries what the client sends to a shop, over the sockets of the tests; can lose requests and answers.
actor ShopTransport: Transport {
    private let shop: Shop
    private var lost = 0
    /// The next answer to a request of this path does not arrive.
    private var lostPath: String?
    /// The next signed request is held up until another one was answered.
    private var isHolding = false
    private var held: CheckedContinuation<Void, Never>?
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var isDown = false
    private(set) var sent: [String] = []

    init(_ shop: Shop) { self.shop = shop }

    /// The next answers to POSTs do not arrive.
    func loseAnswers(_ count: Int) { lost = count }

    /// The next answer to a request of a path does not arrive.
    func loseAnswer(to path: String) { lostPath = path }

    /// The next signed request does not arrive before another one was answered.
    func holdSigned() { isHolding = true }

    /// Waits until a request is held up.
    func untilHeld() async {
        guard held == nil else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    private func hold(_ request: TransportRequest) async {
        guard isHolding, request.isSigned else { return }
        isHolding = false
        await withCheckedContinuation { continuation in
            held = continuation
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    private func letGo(after request: TransportRequest) {
        guard request.isSigned else { return }
        held?.resume()
        held = nil
    }

    /// Nothing arrives at the shop any more, or everything again.
    func cut(_ isDown: Bool) { self.isDown = isDown }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard !isDown else { throw CheckoutError("there is no network") }
        sent.append(request.method + " " + request.url.path + (request.isSigned ? " signed" : ""))
        await hold(request)
        let browser = shop.browser()
        let page = try await browser.request(
            request.method,
            request.url.absoluteString,
            fields: request.fields.map { ($0.name, $0.value) },
            body: Array(request.body)
        )
        letGo(after: request)
        let isLost = lostPath == request.url.path || (request.method == "POST" && lost > 0)
        if isLost {
            if lostPath == request.url.path { lostPath = nil } else { lost -= 1 }
            throw CheckoutError("the answer was lost")
        }
        var cookies: [String: String] = [:]
        for field in page.all("set-cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return TransportResponse(
            status: page.status,
            retryAfter: page[field: "retry-after"].flatMap(TimeInterval.init),
            cookies: cookies,
            body: Data(page.text.utf8)
        )
    }
}

extension TransportRequest {
    /// Whether a key of the installation has signed it.
    fileprivate var isSigned: Bool { fields.contains { $0.name == "App-Attest-Assertion" } }
}

/// Runs a test on a shop that speaks TLS, as apps want it.
func withClientShop(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (Shop) async throws -> Void
) async throws {
    var options = ShopOptions(settings)
    options.isSecure = true
    try await withShop(options, body)
}

/// An app whose cart is the shop's page.
struct PageApp {
    let shop: Shop
    let configuration: CheckoutConfiguration
    let transport: ShopTransport
    let page: HTTPCartPage
    let store: any CheckoutStore
    let checkout: Checkout

    init(
        _ shop: Shop,
        client: ClientKind = .iosApp,
        store: any CheckoutStore = MemoryCheckoutStore(),
        memory: HTTPCartPage.Memory = HTTPCartPage.Memory(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.shop = shop
        configuration = try CheckoutConfiguration(
            webOrigin: try #require(URL(string: shop.web)),
            linkOrigin: try #require(URL(string: shop.link)),
            client: client
        )
        transport = ShopTransport(shop)
        page = HTTPCartPage(configuration, transport: transport, memory: memory) {
            Data(SHA256.digest(of: Array($0)).bytes)
        }
        self.store = store
        checkout = Checkout(
            configuration,
            completion: .page(page),
            store: store,
            now: now,
            pause: { _ in await Task.yield() }
        )
    }

    /// The same app, started again on what it has kept.
    func restarted() async throws -> PageApp {
        try PageApp(shop, client: configuration.client, store: store, memory: await page.memory)
    }

    /// Goes to the tab, where the buyer agrees.
    ///
    /// - Returns: The return link.
    func cross(_ tab: SecureTab) async throws -> String {
        let launch = try await checkout.open(try await page.begin(["hd8": 1, "hd10": 1]))
        return try #require(try await tab.cross(launch.url.absoluteString).link("purchase_link"))
    }

    func crossed() async throws -> String { try await cross(shop.tab()) }
}

extension CheckoutState {
    var isPaid: Bool {
        if case .paid = self { true } else { false }
    }

    var isOpening: Bool {
        if case .opening = self { true } else { false }
    }
}
