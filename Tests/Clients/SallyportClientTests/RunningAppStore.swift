import AppleSimulator
import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import Primitives
import Program
import StrictJSON
import TestKit

/// The simulated App Store, with the shop whose app is sold there.
final class RunningAppStore: Sendable {
    static let bundle = "com.example.tickets"
    static let ticket = "consumable.ticket.10"

    /// Settings of a shop that takes its purchases.
    let settings: [String: String]
    private let simulator: RunningSimulator
    private let way: WayToShop

    /// Starts one on loopback, which answers already.
    static func start() async throws -> RunningAppStore {
        let folder = try ProcessFolder.makeFolder("app-store")
        let root = try AppStoreAuthority.makeRoot(now: SystemClock().now())
        try Files.write(folder + "/root.pem", root.certificatePEM, mode: 0o600)
        try Files.write(
            folder + "/products.json",
            Array(#"{"\#(ticket)":{"units":10},"premium":{}}"#.utf8),
            mode: 0o600
        )
        var configuration = AppStoreModel.Configuration(root: root, seed: KernelRandom().bytes(16))
        configuration.bundleID = bundle
        let (way, authority, made) = (WayToShop(), try TestKeys.get().authorityPath, configuration)
        let simulator = try await RunningSimulator.start { reactor in
            let client = CurlClient(reactor, configuration: .patient(trusting: authority))
            return AppStoreSimulator(made, reactor: reactor, exchange: RoutedToShop(client, way))
        }
        return RunningAppStore(simulator, way, folder)
    }

    private init(_ simulator: RunningSimulator, _ way: WayToShop, _ folder: String) {
        (self.simulator, self.way) = (simulator, way)
        settings = [
            "app_store.bundle_id": Self.bundle, "app_store.environments": "Sandbox",
            "app_store.root_certificates": folder + "/root.pem", "app_store.products": folder + "/products.json",
        ]
    }

    func stop() async { await simulator.stop() }

    /// Has Apple tell the shop from now on of what happens.
    func notify(_ shop: Shop) async throws {
        let port = shop.broker.addresses.first?.port ?? 0
        way.place.withLock { $0 = (shop.web, "https://localhost:\(port)") }
        try await control("POST", "notifications/options", ["sandbox": .string(shop.web + "/app-store/notifications")])
    }

    /// Does something in the store, as a tester does.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await simulator.control(method, path, body)
    }

    /// Whether an app has finished a purchase.
    func isFinished(_ id: String) async throws -> Bool {
        try await control("GET", "purchases/" + id)["finished"]?.flag == true
    }
}

/// Where the shop is in truth, once it runs.
private final class WayToShop: Sendable {
    let place = Lock<(web: String, truth: String)?>(nil)
}

/// Leads notifications to where the shop listens.
private final class RoutedToShop: HTTPExchange {
    private let next: CurlClient
    private let way: WayToShop

    init(_ next: CurlClient, _ way: WayToShop) { (self.next, self.way) = (next, way) }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        var request = request.patient
        if let (web, truth) = way.place.withLock({ $0 }), request.url.hasPrefix(web + "/") {
            request.url = truth + request.url.dropFirst(web.utf8.count)
            request.fields.append(("host", String(web.dropFirst("https://".utf8.count))))
        }
        return try await next.send(request)
    }
}
