import EventIO
import Foundation
import IntegrationKit
import SallyportClient
import TestKit
import Testing

/// An app with a cart of its own, over the merchant's server of examples/server.
private struct ServerApp {
    let sample: SampleServer
    let store: any CheckoutStore
    let checkout: Checkout
    private let client: ClientKind

    init(
        _ sample: SampleServer,
        client: ClientKind = .iosApp,
        store: any CheckoutStore = MemoryCheckoutStore(),
        login: String = SampleServer.login
    ) throws {
        let configuration = try CheckoutConfiguration(
            webOrigin: try #require(URL(string: sample.shop.web)),
            linkOrigin: try #require(URL(string: sample.shop.link)),
            client: client
        )
        let base = try #require(URL(string: sample.url))
        let server = try HTTPMerchantServer(at: base, transport: URLSessionTransport(timeout: 120)) { login }
        self.sample = sample
        self.store = store
        self.client = client
        checkout = Checkout(
            configuration,
            completion: .server(server),
            store: store,
            pause: { _ in await Task.yield() }
        )
    }

    /// The same app, started again on what it has kept.
    func restarted() throws -> ServerApp { try ServerApp(sample, client: client, store: store) }

    /// Goes to the tab, where the buyer agrees.
    func crossed(_ tab: SecureTab? = nil) async throws -> String {
        try await sample.walk(try await checkout.begin(["tea": 2], key: "one").url.absoluteString, tab: tab)
    }
}

private func paid(_ state: CheckoutState) -> Bool {
    if case .paid(let receipt) = state { receipt.total == "3180" && receipt.reference != nil } else { false }
}

@Suite("An app with a cart of its own", .tags(.database, .slow))
struct ServerCheckoutTests {
    @Test(arguments: [ClientKind.iosApp, .androidApp])
    func `buys once`(client: ClientKind) async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample, client: client)
            let link = try await app.crossed()
            #expect(paid(try await app.checkout.receive(link)))
            await #expect(throws: ReturnLinkRefusal.replayed) { try await app.checkout.receive(link) }
            #expect(try await sample.shop.effectiveCompletions() == 1)
            #expect(sample.relay.passed("/complete").count == 1)
        }
    }

    @Test func `says what the shop says of an order that is none`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample)
            let error = await #expect(throws: CheckoutError.self) {
                try await app.checkout.begin(["gold": 1], key: "one")
            }
            let reason = "the shop answers 400: items are names of ours, each with a count of 1 to 99"
            #expect(error?.description == reason && error?.status == 400)
            #expect(await app.checkout.state == .failed(CheckoutError(reason)))
            #expect(try await app.checkout.resume() == .idle, "nothing is under way: the cart")
        }
    }

    @Test func `shows no failure of a key that was used, once it has been given up`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            _ = try await ServerApp(sample).checkout.begin(["tea": 2], key: "one")
            let checkout = try ServerApp(sample).checkout
            let error = await #expect(throws: CheckoutError.self) {
                try await checkout.begin(["tea": 3], key: "one")
            }
            #expect(error?.mayBePaid == true)
            let failed = try await checkout.resume()
            #expect(await checkout.state == failed && failed != .idle)
            try await checkout.cancel()
            #expect(try await checkout.resume() == .idle)
        }
    }

    @Test func `goes to the tab a second time where the profile wants that`() async throws {
        try await withSample(.python, ["profile": "strict"], isSecure: true) { sample in
            let app = try ServerApp(sample)
            let tab = sample.shop.tab()
            guard case .opening(let launch) = try await app.checkout.receive(try await app.crossed(tab)) else {
                Issue.record("the tab is to be opened again")
                return
            }
            #expect(try await sample.shop.effectiveCompletions() == 0)
            let link = try await sample.walk(launch.url.absoluteString, tab: tab)
            #expect(paid(try await app.checkout.receive(link)))
            #expect(try await sample.shop.effectiveCompletions() == 1)
        }
    }

    @Test func `dies at each point, and goes on`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample)
            let link = try await app.crossed()
            let second = try app.restarted()
            #expect(try await second.checkout.resume() == .inTab)
            // The shop's server is away while the return is handed in.
            try sample.end(.kill)
            guard case .failed = try await second.checkout.receive(link) else {
                Issue.record("nobody can have answered")
                return
            }
            try await sample.start()
            let third = try app.restarted()
            await #expect(throws: ReturnLinkRefusal.replayed) { try await third.checkout.receive(link) }
            // The buyer starts over while nobody knows whether the first order was paid.
            await #expect(throws: CheckoutError("a payment is under way; resume() tells how it ends")) {
                try await third.checkout.begin(["tea": 2], key: "two")
            }
            #expect(paid(try await third.checkout.resume()))
            #expect(try await app.restarted().checkout.resume() == .idle)
            #expect(try await sample.shop.effectiveCompletions() == 1)
        }
    }

    @Test func `opens one session, however often it asks`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample)
            let launch = try await app.checkout.begin(["tea": 2], key: "one")
            #expect(try await app.checkout.begin(["tea": 2], key: "one") == launch)
            #expect(try sample.shop.value("SELECT count(*) FROM webview_session") == "1")
            await #expect(throws: CheckoutError.self) { try await app.checkout.begin(["tea": 3], key: "one") }
            guard case .failed = await app.checkout.state else {
                Issue.record("the shop has refused")
                return
            }
        }
    }

    @Test func `of another login gets nothing of a return`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample)
            let link = try await app.crossed()
            let other = try ServerApp(sample, store: app.store, login: "login-of-somebody-else")
            #expect(try await other.checkout.receive(link) == .ended(.refused))
            #expect(try await sample.shop.effectiveCompletions() == 0)
        }
    }

    @Test func `learns from the server what has happened without it`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let app = try ServerApp(sample)
            let link = try await app.crossed()
            #expect(try await sample.post("/checkouts/return", SampleServer.back(link)).state == "paid")
            #expect(paid(try await app.restarted().checkout.resume()))
            #expect(try await sample.shop.effectiveCompletions() == 1)
        }
    }

    @Test func `takes no address of another host for its tab`() async throws {
        try await withSample(.python, isSecure: true) { sample in
            let configuration = try CheckoutConfiguration(
                webOrigin: try #require(URL(string: "https://pay.example.com")),
                linkOrigin: try #require(URL(string: sample.shop.link)),
                client: .iosApp
            )
            let base = try #require(URL(string: sample.url))
            let server = try HTTPMerchantServer(at: base) { SampleServer.login }
            let checkout = Checkout(configuration, completion: .server(server), store: MemoryCheckoutStore())
            await #expect(throws: CheckoutError.self) { try await checkout.begin(["tea": 2], key: "one") }
        }
    }
}
