import AppStoreTransactions
import Cryptography
import Foundation
import JOSE
import Primitives
import StrictJSON
import Testing

/// Reads the files under `Vectors/app-store`.
enum AppStoreVectors {
    static let folder = Bundle.module.bundleURL.appendingPathComponent("Vectors/app-store")
    /// 2026-11-28, after all texts were signed.
    static let now = WallTime(seconds: 1_795_900_000)

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func base64(_ text: String) -> [UInt8]? { Base64.decode(text) }

    static func json(_ name: String) throws -> JSONValue {
        try JSONParser.parse(bytes(name), depth: 32)
    }

    /// The cases of a file; none where it cannot be read, which a test of their number finds.
    static func cases(_ name: String, _ member: String = "cases") -> [VectorCase] {
        let file = try? json(name)
        return file?[member]?.elements.map(VectorCase.init) ?? []
    }

    static func paths(roots: [String] = ["certs/root.der"]) throws -> CertificatePathVerifier {
        CertificatePathVerifier(roots: try roots.map { try X509Certificate(bytes($0)) }, purpose: .appStore)
    }

    static let bundleID = "jp.example.sallyport.tickets"
    static let appAppleID: Int64 = 1_600_010_001

    static func verifier(_ environment: AppStoreEnvironment = .sandbox) throws -> SignedTextVerifier {
        try SignedTextVerifier(
            environment: environment,
            bundleID: bundleID,
            appAppleID: appAppleID,
            paths: paths()
        )
    }

    /// The text of a case of `signed-data.json`.
    static func text(_ id: String) throws -> [UInt8] {
        let found = SignedDataTests.cases.first { $0.id == id }
        return Array(try #require(found?.json["jws"]?.text).utf8)
    }
}

/// A case of a file.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var id: String { json["id"]?.text ?? "" }
    var testDescription: String { id }

    func text(_ name: String) throws -> String { try #require(json[name]?.text) }
}

extension JSONValue {
    /// The same bytes for every order of members.
    var sortedBytes: [UInt8] {
        var output: [UInt8] = []
        appendSorted(to: &output)
        return output
    }
}
