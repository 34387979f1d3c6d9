import Cryptography
import Foundation
import IntegrationKit
import Primitives
import SallyportClient
import Testing

/// A clock that is moved.
private final class MovedClock: Sendable {
    private let moved = Lock(TimeInterval(0))

    var now: Date { Date(timeIntervalSince1970: 1_800_000_000 + moved.withLock { $0 }) }

    func advance(_ seconds: TimeInterval) { moved.withLock { $0 += seconds } }
}

/// Requests of an app that its installation signs: an app on phones, its shop and Apple's service, over sockets.
@Suite("The proof of an app") struct AppProofTests {
    private static let claim = "/app/v1/devices/claim"
    private static let attest = "/app/v1/devices/attest"
    private static let challenge = "/app/v1/devices/attest/challenge"

    private static func proof(
        _ keys: any AttestKeySource,
        _ store: any AttestKeyStore = MemoryAttestKeyStore(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> AppProof {
        AppProof(from: keys, store: store, digest: { Data(SHA256.digest(of: Array($0)).bytes) }, now: now)
    }

    @Test func `signs what the server wants signed, with a key that is made and attested once`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone)
            let (device, transport) = try await shop.app(on: phone, key: Self.proof(keys))
            #expect(try await device.check("free-trial").decision == .allow)
            #expect(keys.made == 0, "a request that needs no proof has none made")
            #expect(try await device.claim("free-trial").hasIt)
            #expect(try await device.claim("free-trial").hasIt)
            #expect(keys.made == 1 && keys.attested == 1)
            let sent = await transport.sent.dropFirst()
            #expect(
                sent == [
                    "POST \(Self.claim)", "POST \(Self.challenge)", "POST \(Self.attest)", "POST \(Self.challenge)",
                    "POST \(Self.claim) signed", "POST \(Self.challenge)", "POST \(Self.claim) signed",
                ]
            )
        }
    }

    @Test func `is the same after the app was started again`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone)
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("key.json")
            let transport = ShopTransport(shop.shop)
            let id = try await shop.openAccount()
            let account = try shop.account(id, over: transport, key: Self.proof(keys, FileAttestKeyStore(file)))
            #expect(try await DeviceProof(of: account, from: phone).claim("free-trial").hasIt)
            let kept = try #require(try FileAttestKeyStore(file).load())
            let again = try shop.account(id, over: transport, key: Self.proof(keys, FileAttestKeyStore(file)))
            #expect(try await DeviceProof(of: again, from: phone).claim("free-trial").hasIt)
            // A request that the app sends itself.
            let url = try #require(URL(string: shop.shop.web + "/secureWebviewSession"))
            let fields = try await again.proof(of: "POST", url, body: Data("a=b".utf8))
            #expect(fields.map(\.name) == ["App-Attest-Assertion"])
            #expect(fields[0].value.split(separator: " ").count == 3)
            #expect(keys.made == 1 && keys.attested == 1)
            #expect(try FileAttestKeyStore(file).load() == kept)
        }
    }

    @Test func `is made anew where the device has lost the key, or the server does not know it`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let (keys, store) = (try await shop.keys(of: phone), MemoryAttestKeyStore())
            let first = try await shop.app(on: phone, key: Self.proof(keys, store)).proof
            #expect(try await first.claim("free-trial").hasIt)
            keys.lose()
            #expect(try await first.claim("free-trial").hasIt)
            #expect(keys.made == 2 && keys.attested == 2)
            // The server knows the key, for another account.
            let second = try await shop.app(on: phone, key: Self.proof(keys, store)).proof
            #expect(try await second.claim("free-trial").decision == .deny)
            #expect(keys.made == 3 && keys.attested == 3)
        }
    }

    @Test func `has its key from before where the answer of the server was lost`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone)
            let (device, transport) = try await shop.app(on: phone, key: Self.proof(keys))
            await transport.loseAnswer(to: Self.attest)
            await #expect(throws: (any Error).self) { try await device.claim("free-trial") }
            #expect(try await device.claim("free-trial").hasIt)
            #expect(keys.made == 1 && keys.attested == 1)
        }
    }

    @Test func `waits with its key where Apple is away`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone)
            let device = try await shop.app(on: phone, key: Self.proof(keys)).proof
            keys.setAway(true)
            let error = await #expect(throws: AccountError.self) { try await device.claim("free-trial") }
            #expect(error?.isFinal == false)
            keys.setAway(false)
            #expect(try await device.claim("free-trial").hasIt)
            #expect(keys.made == 1 && keys.attested == 1)
        }
    }

    @Test func `signs again where another request of the app came first`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone)
            let (device, transport) = try await shop.app(on: phone, key: Self.proof(keys))
            #expect(try await device.claim("free-trial").hasIt)
            await transport.holdSigned()
            async let late = device.claim("free-trial")
            await transport.untilHeld()
            #expect(try await device.claim("free-trial").hasIt)
            #expect(try await late.hasIt)
            #expect(await transport.sent.count { $0 == "POST \(Self.claim) signed" } == 4)
            #expect(keys.made == 1)
        }
    }

    @Test func `says why there is none`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone(isSupported: false)
            let device = try await shop.app(on: phone, key: Self.proof(try await shop.keys(of: phone))).proof
            let error = await #expect(throws: AccountError.self) { try await device.claim("free-trial") }
            #expect(error?.code == "assertion_required" && error?.reason == "not_supported" && error?.isFinal == true)
            let plain = try await shop.app(on: phone).proof
            let refused = await #expect(throws: AccountError.self) { try await plain.claim("free-trial") }
            #expect(refused?.code == "assertion_required" && refused?.status == 403)
        }
    }

    @Test func `that is not believed is not made again at once`() async throws {
        try await withDeviceShop(guarded: ["claimForDevice"]) { shop in
            let phone = try await shop.phone()
            let keys = try await shop.keys(of: phone, signedFor: "development")
            let time = MovedClock()
            let device = try await shop.app(on: phone, key: Self.proof(keys, now: { time.now })).proof
            for _ in 0..<2 {
                let error = await #expect(throws: AccountError.self) { try await device.claim("free-trial") }
                #expect(error?.code == "attestation_refused")
            }
            #expect(keys.made == 1)
            time.advance(3_601)
            await #expect(throws: AccountError.self) { try await device.claim("free-trial") }
            #expect(keys.made == 2)
        }
    }
}
