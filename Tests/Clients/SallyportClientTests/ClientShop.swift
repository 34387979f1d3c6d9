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
    private var isDown = false
    private(set) var sent: [String] = []

    init(_ shop: Shop) { self.shop = shop }

    /// The next answers to POSTs do not arrive.
    func loseAnswers(_ count: Int) { lost = count }

    /// Nothing arrives at the shop any more, or everything again.
    func cut(_ isDown: Bool) { self.isDown = isDown }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard !isDown else { throw CheckoutError("there is no network") }
        sent.append(request.method + " " + request.url.path)
        let browser = shop.browser()
        let page = try await browser.request(
            request.method,
            request.url.absoluteString,
            fields: request.fields.map { ($0.name, $0.value) },
            body: Array(request.body)
        )
        if request.method == "POST", lost > 0 {
            lost -= 1
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
