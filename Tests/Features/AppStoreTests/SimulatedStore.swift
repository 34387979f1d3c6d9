import AppStoreTransactions
import AppleSimulator
import Cryptography
import EventIO
import Foundation
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing
import Web

@testable import AppStore

/// The simulated App Store on a socket, for the real client: settings that lead to it, and its control interface.
struct SimulatedStore: Sendable {
    /// What a program is set to for it.
    let settings: [String: String]
    private let origin: String

    static let bundle = "jp.example.sallyport.tickets"
    static let issuer = "57246542-0000-4000-8000-0824d0110720"
    /// The keys that it knows, by name.
    static let keyIDs = ["SP2X9R4HXF", "SP3OTHERKY"]

    /// Runs a body with a store on a loop of its own.
    ///
    /// - Parameter clock: Of its loop.
    static func run(
        clock: any LoopClock = SystemClock(),
        _ body: @escaping @Sendable (SimulatedStore, Reactor) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await withLoop(clock: clock) { reactor in
                let root = try AppStoreAuthority.makeRoot(now: reactor.wallNow)
                try Files.write("\(folder)/root.pem", root.certificatePEM)
                var configuration = AppStoreModel.Configuration(root: root, seed: [1])
                (configuration.bundleID, configuration.appAppleID) = (bundle, 6_400_000_001)
                for id in keyIDs {
                    let pem = try ES256PrivateKey.generatePEM()
                    try Files.write("\(folder)/AuthKey_\(id).p8", pem.reveal(), mode: 0o600)
                    let key = try JWSVerificationKey(of: ES256PrivateKey(pem: pem))
                    configuration.keys.append(APIKey(id: id, issuer: issuer, key: key))
                }
                let simulator = AppStoreSimulator(configuration, reactor: reactor)
                let server = try simulator.serve(
                    on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
                    tls: nil,
                    reactor: reactor,
                    logger: .silent
                )
                let address = try #require(server.boundAddresses.first)
                try await body(SimulatedStore(folder, "http://\(address)"), reactor)
                await server.drain()
                simulator.stop()
            }
        }
    }

    private init(_ folder: String, _ origin: String) {
        self.origin = origin
        settings = [
            "app_store.bundle_id": SimulatedStore.bundle, "app_store.app_apple_id": "6400000001",
            "app_store.environments": "Production,Sandbox", "app_store.root_certificates": "\(folder)/root.pem",
            "app_store.allow_other_root": "true", "app_store.issuer_id": SimulatedStore.issuer,
            "app_store.private_key": "\(folder)/AuthKey_\(SimulatedStore.keyIDs[0]).p8",
            "app_store.production_url": "\(origin)/production", "app_store.sandbox_url": "\(origin)/sandbox",
        ]
    }

    /// Asks the control interface.
    @discardableResult
    func control(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        through exchange: any HTTPExchange
    ) async throws -> JSONValue {
        let request = OutboundRequest(
            method: method,
            url: origin + "/_sim" + path,
            fields: [("content-type", "application/json")],
            body: body?.bytes ?? [],
            timeout: Patience.usual
        )
        let answer = try await exchange.send(request)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }
}

/// Another server on the network, of which every request is kept.
final class RecordedExchange: HTTPExchange {
    private let inner: any HTTPExchange
    /// Everything that was asked, in order.
    private(set) var requests: [OutboundRequest] = []
    /// How many of them have no answer yet.
    private(set) var pending = 0

    init(_ inner: any HTTPExchange) { self.inner = inner }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        pending += 1
        defer { pending -= 1 }
        return try await inner.send(request)
    }

    /// The tokens that were shown, each once.
    var tokens: Set<String> {
        Set(requests.compactMap { request in request.fields.first { $0.0 == "Authorization" }?.1 })
    }
}

/// Links to files, which an operator changes.
enum FileManagerLink {
    /// Makes a path lead to a file.
    static func make(_ path: String, to file: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file)
    }
}

/// Purchases with a database, and the simulated App Store on a socket.
struct StoreBench {
    let shop: AppStoreFixture
    let store: SimulatedStore
    private let exchange: CurlClient

    init(_ shop: AppStoreFixture, _ store: SimulatedStore) {
        (self.shop, self.store) = (shop, store)
        exchange = CurlClient(shop.part.loop.reactor)
    }

    /// Asks the control interface.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await store.control(method, path, body, through: exchange)
    }

    /// Has a customer buy ten tickets in the sandbox, or something else; id and text.
    func buy(
        _ token: UUIDBytes?,
        customer: String = "customer-1",
        _ more: [JSONMember] = []
    ) async throws -> (id: String, text: String) {
        var members: [JSONMember] = [JSONMember("customer", .string(customer))] + more
        for (name, value) in [("product", "consumable.ticket.10"), ("environment", "Sandbox")]
        where !more.contains(where: { $0.name == name }) { members.append(JSONMember(name, .string(value))) }
        if let token { members.append(JSONMember("appAccountToken", .string(token.description))) }
        let bought = try await control("POST", "/purchases", .object(members))
        return (
            try #require(bought["transactionId"]?.text), try #require(bought["signedTransaction"]?.text)
        )
    }

    /// Has the time come to ask Apple about every customer.
    func makeDue() throws { try shop.admin.run("UPDATE app_store_reconciliation SET due_at = now()") }

    /// Asks about whoever is due.
    ///
    /// - Returns: How many calls the store got for it.
    func read() async throws -> Int {
        let before = try await calls(nil)
        try await shop.part.reconcile(within: .unlimited)
        return try await calls(nil) - before
    }

    /// How many calls of a kind the store has answered with success.
    func calls(_ operation: String?) async throws -> Int {
        let entries = try await control("GET", "/log?limit=1000")["entries"]?.elements ?? []
        return entries.count { entry in operation.map { $0 == entry["operation"]?.text } ?? (entry["status"] == 200) }
    }
}

/// Runs a body with purchases and a simulated App Store.
func withSimulatedStore(
    _ more: [String: String] = [:],
    _ body: @escaping @Sendable (StoreBench) async throws -> Void
) async throws {
    try await SimulatedStore.run { store, _ in
        try await withAppStore(store.settings.merging(more) { $1 }) { shop in
            try await body(StoreBench(shop, store))
        }
    }
}
