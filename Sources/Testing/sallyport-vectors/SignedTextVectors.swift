import AppStoreTransactions
import Cryptography
import Foundation
import HTTPCore
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

    /// The verifier with the settings of a case.
    static func verifier(_ settings: JSONValue?, in folder: URL) throws -> SignedTextVerifier {
        guard let settings, let bundleID = settings["bundleId"]?.text,
            let environment = settings["environment"]?.text.flatMap({ AppStoreEnvironment(word: $0.octets) })
        else { throw VectorError(description: "a case without verifier") }
        let roots = try (settings["roots"]?.elements ?? []).compactMap(\.text).map { name in
            try X509Certificate(Array(Data(contentsOf: folder.appendingPathComponent(name))))
        }
        return try SignedTextVerifier(
            environment: environment,
            bundleID: bundleID,
            appAppleID: settings["appAppleId"]?.integer.map { Int64($0) },
            paths: CertificatePathVerifier(roots: roots, purpose: .appStore)
        )
    }

    private static func payload(of item: JSONValue, in folder: URL) throws -> JSONValue {
        guard let text = item["jws"]?.text else { throw VectorError(description: "a case without text") }
        let verifier = try verifier(item["verifier"], in: folder)
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

/// Answers of responders about the certificates of one text, and whether they are retried, refused or good.
enum RevocationVectors: VectorKind {
    static let fileName = "ocsp.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        let meta = document["meta"]
        let verifier = try SignedTextVectors.verifier(meta?["verifier"], in: folder)
        guard let text = meta?["jws"]?.text else { throw VectorError(description: "no text in meta") }
        let now = WallTime(seconds: Int64(Date().timeIntervalSince1970))
        let check = try RevocationCheck(verifier.certificates(of: Array(text.utf8), at: now))
        return try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let verdict = item["oracle"]?["verdict"]?.text else {
                throw VectorError(description: "a case without id and verdict")
            }
            let mustRetry = item["oracle"]?["status"] == "RETRYABLE_VERIFICATION_FAILURE"
            do throws(SignedTextRefusal) {
                for (question, name) in zip(check.questions, ["intermediate", "leaf"]) {
                    _ = try check.verify(response(item[name]), to: question, at: now)
                }
                _ = try verifier.transaction(Array(text.utf8), at: now)
                return VectorOutcome(id, found: "accept", expected: verdict)
            } catch {
                return VectorOutcome(
                    id: id,
                    isAsExpected: verdict == "reject" && (!mustRetry || error.isRetryable),
                    verdict: "reject, \(error)",
                    expected: verdict + (mustRetry ? ", to be tried again" : "")
                )
            }
        }
    }

    private static func response(_ answer: JSONValue?) -> InboundResponse? {
        guard let status = answer?["httpStatus"]?.integer else { return nil }
        let body = answer?["bodyBase64"]?.text.flatMap { Base64.decode($0) }
        return InboundResponse(status: status, body: body ?? [])
    }
}
