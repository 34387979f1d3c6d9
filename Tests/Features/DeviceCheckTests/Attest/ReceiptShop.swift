import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import DeviceCheck

/// A shop that takes keys, with the simulated service of Apple on a socket beside it.
struct ReceiptShop {
    let devices: DeviceFixture
    let renewal: ReceiptRenewal
    /// What the shop asks Apple.
    let exchange: WatchedExchange
    fileprivate let origin: String
    fileprivate let curl: CurlClient

    static let due = "UPDATE app_attest_key SET receipt_due_at = now() - interval '1 second'"

    /// Asks the control interface of the simulator.
    @discardableResult
    func control(_ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
        let request = OutboundRequest(
            method: "POST",
            url: origin + "/_sim" + path,
            fields: [("content-type", "application/json")],
            body: body.bytes,
            timeout: Patience.usual
        )
        let answer = try await curl.send(request)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(path): \(value)")
        return value
    }

    /// Has the next request for a receipt go wrong.
    func fault(_ action: JSONValue, times: Int = 1) async throws {
        let match: JSONValue = ["operation": "attestationData", "count": JSONValue(times)]
        try await control("/faults", ["match": match, "action": action])
    }

    /// A phone of a new account, whose key is bound.
    func phone() async throws -> ReceiptPhone {
        let client = try await DeviceClient.open(devices)
        let device = try #require(try await control("/devices")["device"]?.integer)
        let phone = ReceiptPhone(shop: self, client: client, path: "/devices/\(device)")
        try await control(phone.path + "/install")
        _ = try await phone.attest()
        return phone
    }

    /// Asks Apple about keys that are due; when the clocks show a later time, where that is given.
    func renew(later: String? = nil) async throws {
        if let later {
            try await control("/clock", ["advance": .string(later)])
            try devices.admin.run(ReceiptShop.due)
        }
        while try await renewal.renewSome() {}
    }

    /// A number of all keys.
    func count(_ condition: String) throws -> String? {
        try devices.value("SELECT count(*) FROM app_attest_key WHERE \(condition)")
    }
}

/// A phone with the shop's app and a key.
struct ReceiptPhone {
    let shop: ReceiptShop
    let client: DeviceClient
    let path: String

    /// Has another key bound to the account; its name.
    func attest() async throws -> String {
        let key = try #require(try await shop.control(path + "/attest-keys")["keyId"]?.text)
        let challenge = try #require(try await client.app("/attest/challenge", nil)["challenge"]?.text)
        let order: JSONValue = ["keyId": .string(key), "clientData": .string(challenge)]
        let object = try #require(try await shop.control(path + "/attestations", order)["attestation"]?.text)
        let answer = try await client.app(
            "/attest",
            #"{"keyId":"\#(key)","attestation":"\#(object)","challenge":"\#(challenge)"}"#
        )
        #expect(answer.status == 200, "\(answer)")
        return key
    }
}

/// Runs a body with a shop that takes keys of an app, and asks the simulated service about their devices.
func withReceipts(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (ReceiptShop) async throws -> Void
) async throws {
    let authority = try AppAttestAuthority.make(now: SystemClock().now())
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/root.pem", authority.root.certificatePEM)
        try Files.write("\(folder)/receipt-root.pem", authority.receiptRoot.certificatePEM)
        var texts = [
            "app_attest.bundle_ids": "com.example.sallyport", "app_attest.trust": "\(folder)/root.pem",
            "app_attest.receipt_trust": "\(folder)/receipt-root.pem",
        ]
        texts.merge(settings) { $1 }
        try await withDevices(texts) { devices in
            try await serve(devices, authority, body)
        }
    }
}

private func serve(
    _ devices: DeviceFixture,
    _ authority: AppAttestAuthority,
    _ body: (ReceiptShop) async throws -> Void
) async throws {
    let (process, loop) = (devices.part.process, devices.part.loop)
    var configuration = DeviceCheckModel.Configuration(seed: [1])
    (configuration.team, configuration.bundleID) = (process.settings.teamID, "com.example.sallyport")
    configuration.attestRoots = (authority.root, authority.receiptRoot)
    let pem = Secret(try Files.read(process.settings.apple.keyPath))
    let key = try JWSVerificationKey(of: ES256PrivateKey(pem: pem))
    configuration.keys = [APIKey(id: "SP2X9R4HXF", issuer: process.settings.teamID, key: key)]
    let simulator = DeviceCheckSimulator(configuration, reactor: loop.reactor)
    let server = try simulator.serve(
        on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
        tls: nil,
        reactor: loop.reactor,
        logger: .silent
    )
    let origin = "http://\(try #require(server.boundAddresses.first))"
    let curl = CurlClient(loop.reactor)
    let exchange = WatchedExchange(curl)
    let access = try #require(process.apple)
    let service = AppleReceiptService(at: origin + "/production", access, over: exchange, loop)
    let renewal = try #require(ReceiptRenewal(process, loop, asking: service))
    try await body(
        ReceiptShop(devices: devices, renewal: renewal, exchange: exchange, origin: origin, curl: curl)
    )
    await server.drain()
    simulator.stop()
}
