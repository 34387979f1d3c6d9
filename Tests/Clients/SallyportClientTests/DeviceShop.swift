import AppleSimulator
import Cryptography
import EventIO
import Foundation
import IntegrationKit
import JOSE
import Primitives
import SallyportClient
import StrictJSON
import TestKit
import Testing

/// A shop that gives something once for each device, with Apple's service beside it.
struct DeviceShop: Sendable {
    let shop: Shop
    let apple: RunningSimulator
    private let merchant: MerchantClient

    fileprivate init(_ shop: Shop, _ apple: RunningSimulator) async throws {
        (self.shop, self.apple) = (shop, apple)
        merchant = MerchantClient(shop, key: try await shop.makeKey("accounts:read,accounts:write"))
    }

    /// Opens an account.
    ///
    /// - Returns: Its id.
    func openAccount() async throws -> String {
        let reply = try await merchant.post("/v1/accounts", ["externalId": .string(UUID().uuidString)])
        return try #require(reply["id"]?.text, "\(reply.text)")
    }

    /// The app of a new account on a phone.
    func app(on phone: Phone) async throws -> (proof: DeviceProof, transport: ShopTransport) {
        let (account, merchant) = (try await openAccount(), merchant)
        let transport = ShopTransport(shop)
        let appAccount = try AppAccount(at: try #require(URL(string: shop.web)), transport: transport) {
            let reply = try await merchant.post("/v1/accounts/\(account)/tokens", ["scopes": ["devices"]])
            return try #require(reply["token"]?.text, "\(reply.text)")
        }
        return (DeviceProof(of: appAccount, from: phone), transport)
    }

    /// A new phone.
    func phone(isSupported: Bool = true) async throws -> Phone {
        let made = try await apple.control("POST", "devices", ["supported": .bool(isSupported)])
        return Phone(apple, try #require(made["device"]?.integer, "\(made)"))
    }
}

/// DeviceCheck on a phone.
final class Phone: DeviceTokenSource {
    private let apple: RunningSimulator
    private let number: Int
    /// The age of the tokens that it makes from now on, oldest last.
    private let ages = Lock<[String]>([])
    private let made = Lock(0)

    init(_ apple: RunningSimulator, _ number: Int) { (self.apple, self.number) = (apple, number) }

    /// How many tokens it has made.
    var tokens: Int { made.withLock { $0 } }

    /// The next tokens are too old for Apple.
    func spoil(_ count: Int) { ages.withLock { $0 = Array(repeating: "PT1H", count: count) } }

    /// A token as an app writes it; `nil` where the phone makes none.
    func text() async throws -> String? {
        try await apple.control("POST", "devices/\(number)/tokens")["deviceToken"]?.text
    }

    /// What Apple keeps of it.
    func records() async throws -> [JSONValue] {
        try await apple.control("GET", "devices/\(number)")["records"]?.elements ?? []
    }

    func token() async -> DeviceToken {
        made.withLock { $0 += 1 }
        let age = ages.withLock { $0.popLast() }
        let body = JSONValue.object(age.map { [JSONMember("age", .string($0))] } ?? [])
        guard let reply = try? await apple.control("POST", "devices/\(number)/tokens", body) else {
            return .none(.failed)
        }
        guard let text = reply["deviceToken"]?.text, let token = Data(base64Encoded: text) else {
            return .none(.unsupported)
        }
        return .token(token)
    }
}

/// Runs a test on a shop with Apple's service beside it.
///
/// - Parameters:
///   - more: Settings beside those of a device.
///   - isSecure: Whether it speaks TLS, as apps want it today.
func withDeviceShop(
    _ more: [String: String] = [:],
    isSecure: Bool = true,
    _ body: @escaping @Sendable (DeviceShop) async throws -> Void
) async throws {
    let pem = try ES256PrivateKey.generatePEM()
    let folder = try ProcessFolder.makeFolder("devicecheck")
    try Files.write(folder + "/key.p8", pem.reveal(), mode: 0o600)
    let secret = Array("a secret of the tests, long enough for what it is for".utf8)
    try Files.write(folder + "/secret", secret, mode: 0o600)
    var configuration = DeviceCheckModel.Configuration(seed: KernelRandom().bytes(16))
    let team = configuration.team
    configuration.keys = [
        APIKey(id: "SP4TESTKEY", issuer: team, key: try JWSVerificationKey(of: ES256PrivateKey(pem: pem)))
    ]
    let made = configuration
    let apple = try await RunningSimulator.start { DeviceCheckSimulator(made, reactor: $0) }
    do {
        let settings = [
            "merchant.secret_file": folder + "/secret", "device_check.team_id": team,
            "device_check.key_id": "SP4TESTKEY", "device_check.private_key": folder + "/key.p8",
            "device_check.production_url": apple.url + "/production",
            "device_check.development_url": apple.url + "/development",
        ].merging(more) { $1 }
        var options = ShopOptions(settings)
        options.isSecure = isSecure
        try await withShop(options) { try await body(try await DeviceShop($0, apple)) }
    } catch {
        await apple.stop()
        throw error
    }
    await apple.stop()
}
