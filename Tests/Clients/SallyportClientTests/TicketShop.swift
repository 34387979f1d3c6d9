import Foundation
import IntegrationKit
import Primitives
import SallyportClient
import StrictJSON
import TestKit
import Testing

/// A shop whose app sells tickets in the App Store.
struct TicketShop: Sendable {
    let shop: Shop
    let store: RunningAppStore
    private let merchant: MerchantClient

    fileprivate init(_ shop: Shop, _ store: RunningAppStore) async throws {
        (self.shop, self.store) = (shop, store)
        merchant = MerchantClient(shop, key: try await shop.makeKey("accounts:read,accounts:write"))
    }

    /// Opens an account.
    ///
    /// - Returns: Its id.
    func openAccount() async throws -> String {
        let reply = try await merchant.post("/v1/accounts", ["externalId": .string(UUID().uuidString)])
        return try #require(reply["id"]?.text, "\(reply.text)")
    }

    /// A new token for the app of an account, as the merchant's server gets it.
    func token(of account: String) async throws -> String {
        let reply = try await merchant.post(
            "/v1/accounts/\(account)/tokens",
            ["scopes": ["app_store", "app_store:spend"]]
        )
        return try #require(reply["token"]?.text, "\(reply.text)")
    }

    /// The app of a customer, signed in to an account of its own.
    func app(of customer: String = "customer-1") async throws -> TicketApp {
        try TicketApp(self, account: try await openAccount(), device: Device(store, customer))
    }
}

/// Runs a test on a shop with the App Store beside it.
func withTicketShop(_ body: @escaping @Sendable (TicketShop) async throws -> Void) async throws {
    let store = try await RunningAppStore.start()
    do {
        try await withClientShop(store.settings) { try await body(try await TicketShop($0, store)) }
    } catch {
        await store.stop()
        throw error
    }
    await store.stop()
}

/// An app on a device, signed in.
struct TicketApp: Sendable {
    let tickets: TicketShop
    let account: String
    let device: Device
    let transport: ShopTransport
    let spends: any SpendStore
    let purchases: Purchases

    init(
        _ tickets: TicketShop,
        account: String,
        device: Device,
        spends: any SpendStore = MemorySpendStore()
    ) throws {
        (self.tickets, self.account, self.device, self.spends) = (tickets, account, device, spends)
        transport = ShopTransport(tickets.shop)
        let appAccount = try AppAccount(
            at: try #require(URL(string: tickets.shop.web)),
            transport: transport
        ) { try await tickets.token(of: account) }
        // Tests hand in again by themselves.
        purchases = Purchases(of: appAccount, from: device, spends: spends) { _ in throw CancellationError() }
    }

    /// The same app, started again: what it has not written down is gone.
    func restarted() throws -> TicketApp {
        try TicketApp(tickets, account: account, device: device.restarted(), spends: spends)
    }

    /// Buys tickets as `Purchases.buy` does, up to the moment when StoreKit gives the transaction.
    func buy(_ product: String = RunningAppStore.ticket, _ more: [JSONMember] = []) async throws -> SignedTransaction {
        let token = try await purchases.appAccountToken()
        let passed = JSONMember("appAccountToken", .string(token.uuidString.lowercased()))
        return try await device.buy(product, [passed] + more)
    }
}

/// StoreKit on the device of a customer.
final class Device: TransactionSource {
    private let store: RunningAppStore
    private let customer: String
    private let known = Lock<UUID?>(nil)
    private let stream = AsyncStream.makeStream(of: SignedTransaction.self)
    /// The app has died: nothing that it still does reaches StoreKit.
    private let isDead = Lock(false)

    init(_ store: RunningAppStore, _ customer: String) { (self.store, self.customer) = (store, customer) }

    /// The same device with an app that is started again.
    func restarted() -> Device { Device(store, customer) }

    /// The app dies before it reaches StoreKit again.
    func die() { isDead.withLock { $0 = true } }

    /// Buys something.
    func buy(_ product: String, _ more: [JSONMember] = []) async throws -> SignedTransaction {
        let members = [JSONMember("product", .string(product)), JSONMember("customer", .string(customer))]
        return transaction(try await store.control("POST", "purchases", .object(members + more)))
    }

    /// Has StoreKit deliver a purchase by itself, as it is now.
    func deliver(_ id: String) async throws {
        stream.continuation.yield(transaction(try await store.control("GET", "purchases/" + id)))
    }

    /// Reads the id of the device, which the store knows once it has sold something to the customer.
    func learnVerificationID() async throws {
        let text = try await shown()["deviceVerificationId"]?.text
        known.withLock { $0 = text.flatMap(UUID.init) }
    }

    private func shown() async throws -> JSONValue {
        try await store.control("GET", "device?environment=Sandbox&customer=" + customer)
    }

    private func transaction(_ json: JSONValue) -> SignedTransaction {
        let id = json["transactionId"]?.text ?? ""
        return SignedTransaction(id: id, text: json["signedTransaction"]?.text ?? "") { [self] in
            guard !isDead.withLock({ $0 }) else { return }
            _ = try? await store.control("POST", "purchases/\(id)/finish")
        }
    }

    // MARK: StoreKit

    func updates() -> AsyncStream<SignedTransaction> { stream.stream }

    func unfinished() async -> [SignedTransaction] {
        let list = (try? await shown())?["unfinished"]?.elements ?? []
        return list.map(transaction)
    }

    func environment() async -> String? { "Sandbox" }

    var deviceVerificationID: UUID? { known.withLock { $0 } }
}

extension PurchaseOutcome {
    var grant: PurchaseGrant? {
        if case .granted(let grant) = self { grant } else { nil }
    }

    /// The server's word where nothing was granted.
    var code: String? {
        switch self {
        case .granted: nil
        case .refused(_, let error), .waiting(_, let error): error.code
        }
    }
}
