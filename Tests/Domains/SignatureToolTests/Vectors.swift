import AmazonPay
import Cryptography
import EventIO
import Primitives
import StrictJSON
import TestKit
import Testing

/// The signing vectors, which lie with the tests of the signer.
enum Vectors {
    static let signed = cases("request-signing.json", "signed").map(RequestVector.init)
    static let negative = cases("request-signing.json", "negative").map(RequestVector.init)
    static let buttons = cases("button-signing.json", "valid").map(ButtonVector.init)
    static let badButtons = cases("button-signing.json", "negative").map(ButtonVector.init)

    /// The key that all good signatures were made with.
    static func merchantKey() throws -> RSAPublicKey { try RSAPublicKey(pem: bytes("merchant-public.pem")) }

    /// Its other half.
    static func merchantPrivateKey() throws -> RSAPrivateKey {
        try RSAPrivateKey(pem: Secret(try bytes("merchant-private.pem")))
    }

    static let keyID = "SANDBOX-AFTESTKEY0000000000000001"

    /// 2026-03-14T01:59:26Z, the date of most vectors.
    static let time = WallTime(seconds: 1_773_453_566)

    private static func bytes(_ name: String) throws -> [UInt8] {
        try Files.read(ProjectFolder.vectors("AmazonPayTests") + "/" + name)
    }

    private static func cases(_ file: String, _ list: String) -> [JSONValue] {
        (try? JSONParser.parse(bytes(file)))?[list]?.elements ?? []
    }
}

struct RequestVector: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    var testDescription: String { name }
    var name: String { value["name"]?.text ?? "?" }
    var canonicalRequest: String? { value["canonicalRequest"]?.text }
    var stringToSign: String? { value["stringToSign"]?.text }

    /// The request as it arrives, with its `Authorization` field.
    var request: SignedRequest {
        let rest = (value["url"]?.text ?? "").dropFirst("https://".count)
        let target = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var fields = (value["headers"]?.members ?? []).map { ($0.name, $0.value.text ?? "") }
        if let authorization = value["authorization"]?.text { fields.append(("Authorization", authorization)) }
        return SignedRequest(
            method: value["method"]?.text ?? "",
            path: String(parts.first ?? ""),
            query: parts.count > 1 ? String(parts[1]) : "",
            fields: fields,
            body: Array((value["body"]?.text ?? "").utf8)
        )
    }

    /// The clock that the vector assumes: the given one, or the request's own date.
    var clock: WallTime {
        let date = (value["verifierClock"] ?? value["headers"]?["x-amz-pay-date"])?.text ?? ""
        return CalendarDate.time(of: date) ?? Vectors.time
    }
}

struct ButtonVector: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    var testDescription: String { name }
    var name: String { value["name"]?.text ?? "?" }
    var payloadJSON: String { value["payloadJSON"]?.text ?? "" }
    var signature: String { value["signature"]?.text ?? "" }
    var algorithm: String { value["algorithm"]?.text ?? "" }
    var stringToSign: String? { value["stringToSign"]?.text }
    var saltLength: Int? { value["saltLength"]?.integer }
}
