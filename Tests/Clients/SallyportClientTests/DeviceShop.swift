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
    ///
    /// - Parameter key: The key of the installation; `nil` for an app without one.
    func app(on phone: Phone, key: AppProof? = nil) async throws -> (proof: DeviceProof, transport: ShopTransport) {
        let transport = ShopTransport(shop)
        let account = try account(try await openAccount(), over: transport, key: key)
        return (DeviceProof(of: account, from: phone), transport)
    }

    /// An account, as its app has it.
    func account(_ account: String, over transport: ShopTransport, key: AppProof?) throws -> AppAccount {
        let merchant = merchant
        return try AppAccount(at: try #require(URL(string: shop.web)), transport: transport, proof: key) {
            let reply = try await merchant.post("/v1/accounts/\(account)/tokens", ["scopes": ["devices"]])
            return try #require(reply["token"]?.text, "\(reply.text)")
        }
    }

    /// App Attest on a phone, with the app installed.
    func keys(of phone: Phone, signedFor environment: String = "production") async throws -> PhoneKeys {
        try await apple.control("POST", "devices/\(phone.number)/install", ["environment": .string(environment)])
        return PhoneKeys(apple, phone.number)
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
    let number: Int
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

/// App Attest on a phone.
final class PhoneKeys: AttestKeySource {
    private let apple: RunningSimulator
    private let path: String
    private let state = Lock(State())

    private struct State {
        var made = 0
        var attested = 0
        var isAway = false
        var lost: Set<String> = []
        var keys: Set<String> = []
    }

    init(_ apple: RunningSimulator, _ number: Int) { (self.apple, path) = (apple, "devices/\(number)/") }

    /// How many keys it has made.
    var made: Int { state.withLock(\.made) }
    /// How often Apple has vouched for one.
    var attested: Int { state.withLock(\.attested) }

    /// All keys of so far are gone.
    func lose() { state.withLock { $0.lost = $0.keys } }

    /// Apple vouches for no key, or for all again.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func makeKey() async -> AttestKeyMaking {
        guard let reply = try? await apple.control("POST", path + "attest-keys") else { return .none(.failed) }
        guard let key = reply["keyId"]?.text else { return .none(.unsupported) }
        state.withLock {
            $0.made += 1
            $0.keys.insert(key)
        }
        return .key(key)
    }

    func attest(_ key: String, hash: Data) async throws -> Data {
        guard !state.withLock(\.isAway) else { throw AttestKeyFailure.unavailable }
        state.withLock { $0.attested += 1 }
        return try await use(key, hash, "attestation")
    }

    func sign(_ key: String, hash: Data) async throws -> Data { try await use(key, hash, "assertion") }

    private func use(_ key: String, _ hash: Data, _ what: String) async throws -> Data {
        guard !state.withLock({ $0.lost.contains(key) }) else { throw AttestKeyFailure.lost }
        let body: JSONValue = ["keyId": .string(key), "clientDataHash": .string(hash.base64EncodedString())]
        let reply = try await apple.control("POST", path + what + "s", body)
        guard let data = reply[what]?.text.flatMap({ Data(base64Encoded: $0) }) else { throw AttestKeyFailure.failed }
        return data
    }
}

/// Runs a test on a shop with Apple's service beside it.
///
/// - Parameters:
///   - more: Settings beside those of a device.
///   - isSecure: Whether it speaks TLS, as apps want it today.
///   - guarded: Routes that want an assertion, by name.
func withDeviceShop(
    _ more: [String: String] = [:],
    isSecure: Bool = true,
    guarded: [String] = [],
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
        let root = try await TestClient().send("GET", apple.url + "/_sim/attest/root.pem")
        try Files.write(folder + "/attest-root.pem", Array(root.text.utf8), mode: 0o600)
        let settings = [
            "app_attest.bundle_ids": made.bundleID, "app_attest.trust": folder + "/attest-root.pem",
            "app_attest.required": guarded.joined(separator: ","), "merchant.secret_file": folder + "/secret",
            "device_check.team_id": team,
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
