import AppStoreTransactions
import Cryptography
import Foundation
import JOSE
import Primitives
import StrictJSON

/// Signed texts of the App Store, each put to a verifier of its own.
enum SignedTextVectors: VectorKind {
    static let fileName = "signed-data.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let expected = item["oracle"]?["verdict"]?.text else {
                throw VectorError(description: "a case without id and verdict")
            }
            var found: String
            var isSame = true
            do {
                let payload = try payload(of: item, in: folder)
                found = "accept"
                isSame =
                    item["claims"].map { SignedTextVectors.sorted($0) == SignedTextVectors.sorted(payload) } ?? true
            } catch let refusal as SignedTextRefusal {
                found = "reject"
                return VectorOutcome(
                    id: id,
                    isAsExpected: expected == found || item["grade"] == "either",
                    verdict: "\(found), \(refusal)",
                    expected: expected
                )
            }
            return VectorOutcome(
                id: id,
                isAsExpected: isSame && (expected == found || item["grade"] == "either"),
                verdict: found + (isSame ? "" : ", with other claims"),
                expected: expected
            )
        }
    }

    private static func sorted(_ value: JSONValue) -> [UInt8] {
        var output: [UInt8] = []
        value.appendSorted(to: &output)
        return output
    }

    private static func payload(of item: JSONValue, in folder: URL) throws -> JSONValue {
        guard let settings = item["verifier"], let text = item["jws"]?.text, let bundleID = settings["bundleId"]?.text,
            let environment = settings["environment"]?.text.flatMap({ AppStoreEnvironment(word: $0.octets) })
        else { throw VectorError(description: "a case without text and verifier") }
        let roots = try (settings["roots"]?.elements ?? []).compactMap(\.text).map { name in
            try X509Certificate(Array(Data(contentsOf: folder.appendingPathComponent(name))))
        }
        let verifier = try SignedTextVerifier(
            environment: environment,
            bundleID: bundleID,
            appAppleID: settings["appAppleId"]?.integer.map { Int64($0) },
            paths: CertificatePathVerifier(roots: roots, purpose: .appStore)
        )
        let now = WallTime(seconds: Int64(Date().timeIntervalSince1970))
        let bytes = Array(text.utf8)
        switch item["kind"]?.text {
        case "transaction": return try verifier.transaction(bytes, at: now).payload
        case "renewalInfo": return try verifier.renewal(bytes, at: now).payload
        case "appTransaction": return try verifier.appTransaction(bytes, at: now).payload
        case "notification": return try verifier.notification(bytes, at: now).payload
        default: throw VectorError(description: "a case of an unknown kind")
        }
    }
}
