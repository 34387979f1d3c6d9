import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

/// A phone with the shop's app, and with a key that an authority of the test attests.
struct AttestPhone {
    let client: DeviceClient
    let authority: AppAttestAuthority
    var key: SimulatedAttestKey

    static let app = "A1B2C3D4E5.com.example.shop"

    init(_ client: DeviceClient, _ authority: AppAttestAuthority) throws {
        self.client = client
        self.authority = authority
        key = try SimulatedAttestKey.make()
    }

    var keyID: String { Base64.encode(key.id.bytes) }

    func challenge() async throws -> String {
        let made = try await client.app("/attest/challenge", nil)
        return try #require(made["challenge"]?.text, "\(made)")
    }

    /// What the app sends to have its key bound.
    func attestation(of challenge: String, flaw: AttestationFlaw? = nil, isDevelopment: Bool = false) throws -> String {
        let order = AttestOrder(
            key: key,
            app: AttestPhone.app,
            isDevelopment: isDevelopment,
            clientDataHash: SHA256.digest(of: Array(challenge.utf8)).bytes
        )
        let object = try authority.attest(order, now: SystemClock().now(), flaw: flaw)
        return #"{"keyId":"\#(keyID)","attestation":"\#(Base64.encode(object))","challenge":"\#(challenge)"}"#
    }

    /// Has the key bound to the account.
    func attest() async throws {
        let answer = try await client.app("/attest", try attestation(of: try await challenge()))
        #expect(answer.status == 200 && answer["keyId"]?.text == keyID, "\(answer)")
    }

    /// What the app shows beside a request.
    mutating func assertion(
        _ challenge: String,
        _ path: String,
        _ json: String,
        method: String = "POST",
        flaw: AssertionFlaw? = nil
    ) throws -> String {
        let request = AssertedRequest(
            method: method,
            target: "/app/v1/devices" + path,
            body: Array(json.utf8),
            challenge: challenge
        )
        let object = try key.assert(clientDataHash: request.clientDataHash, app: AttestPhone.app, flaw: flaw)
        return "\(keyID) \(challenge) \(Base64.encode(object))"
    }

    /// Sends a request that is signed as it has to be.
    mutating func send(_ path: String, _ json: String, flaw: AssertionFlaw? = nil) async throws -> DeviceClient.Reply {
        let shown = try assertion(try await challenge(), path, json, flaw: flaw)
        return try await client.app(path, json, assertions: [shown])
    }
}

/// A shop that takes keys of its app.
struct AttestShop {
    let devices: DeviceFixture
    let authority: AppAttestAuthority

    /// A phone of a new account.
    func phone(scopes: String = "{}") async throws -> AttestPhone {
        try AttestPhone(try await DeviceClient.open(devices, scopes: scopes), authority)
    }
}

/// Runs a body with a shop that takes keys, and wants an assertion with `validateDevice`.
func withAttest(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (AttestShop) async throws -> Void
) async throws {
    let authority = try AppAttestAuthority.make(now: SystemClock().now())
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/root.pem", authority.root.certificatePEM)
        var texts = [
            "app_attest.bundle_ids": "com.example.other, com.example.shop", "app_attest.trust": "\(folder)/root.pem",
            "app_attest.required": "validateDevice",
        ]
        texts.merge(settings) { $1 }
        try await withDevices(texts) { try await body(AttestShop(devices: $0, authority: authority)) }
    }
}
