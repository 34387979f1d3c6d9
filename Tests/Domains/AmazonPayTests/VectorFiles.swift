import AmazonPay
import Cryptography
import Foundation
import Primitives

/// Reads the files under `Vectors`.
enum VectorFiles {
    static func url(_ name: String) -> URL {
        Bundle.module.bundleURL.appendingPathComponent("Vectors").appendingPathComponent(name)
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url(name)))
    }

    static func decode<Value: Decodable>(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: url(name)))
    }

    /// The key that all good signatures were made with.
    static func merchantKey() throws -> RSAPublicKey {
        try RSAPublicKey(pem: bytes("merchant-public.pem"))
    }

    /// One object of `objects.json`, as JSON text of its own.
    static func object(_ name: String) throws -> [UInt8] {
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: url("objects.json")))
        let objects = (file as? [String: Any])?["objects"] as? [String: Any]
        return Array(try JSONSerialization.data(withJSONObject: objects?[name] ?? [:]))
    }
}

/// The account whose key signed the vectors.
enum TestAccount {
    static let keyID = "SANDBOX-AFTESTKEY0000000000000001"

    static func settings() throws -> CredentialSettings {
        var settings = CredentialSettings()
        settings.merchantID = "A0000000000001"
        settings.storeID = "amzn1.application-oa2-client.00000000000000000000000000000001"
        settings.publicKeyID = keyID
        settings.privateKeyPEM = Secret(try VectorFiles.bytes("merchant-private.pem"))
        return settings
    }

    static func credentials(_ algorithm: SigningAlgorithm = .pssV2) throws -> Credentials {
        var settings = try settings()
        settings.algorithm = algorithm.rawValue
        return try Credentials(settings)
    }

    /// Signs on the calling thread.
    static func inPlace(_ work: @escaping @Sendable () -> SignatureResult) async -> SignatureResult {
        work()
    }
}

/// 2026-03-14T01:59:26Z, the date of most vectors.
let vectorTime = WallTime(seconds: 1_773_453_566)
