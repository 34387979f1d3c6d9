import Cryptography
import EventIO
import Foundation
import Notifications
import Primitives
import StrictJSON
import TestKit
import Testing

/// The cases of `ipn.json`, and the certificates that belong to them.
enum NotificationVectors {
    static let topic = "arn:aws:sns:ap-northeast-1:000000000000:A0TESTMERCHANT00"
    static let merchantID = "A0TESTMERCHANT00"
    /// 2026-03-14T02:00:05Z.
    static let clock = WallTime(seconds: 1_773_453_605)
    static let url =
        "https://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000001.pem"

    static let file: JSONValue? = {
        let url = Bundle.module.bundleURL.appendingPathComponent("Vectors").appendingPathComponent("ipn.json")
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONParser.parse(Array(data))
    }()

    static let valid = cases("valid")
    static let negative = cases("negative")
    static let addresses = file?["certificateUrls"]?.elements ?? []

    private static func cases(_ list: String) -> [NotificationVector] {
        (file?[list]?.elements ?? []).map(NotificationVector.init)
    }

    /// A certificate or key, which lie with the tests of their own target.
    static func pem(_ name: String) throws -> [UInt8] {
        try Files.read(ProjectFolder.vectors("CryptographyTests", on: "Platform") + "/\(name)")
    }

    static func chain() throws -> CertificateChain {
        try CertificateChain(anchorsPEM: pem("sns-root.pem"), intermediatesPEM: pem("sns-issuing.pem"))
    }

    static func policy() -> NotificationPolicy {
        NotificationPolicy(topics: [topic], merchantID: merchantID)
    }
}

struct NotificationVector: Sendable, CustomTestStringConvertible {
    let value: JSONValue

    var testDescription: String { text("name") }

    var body: [UInt8] { Array(text("body").utf8) }

    func text(_ name: String) -> String { value[name]?.text ?? "" }

    /// A member of the message inside, in either spelling.
    func inner(_ name: String) -> String? {
        let lower = name.prefix(1).lowercased() + name.dropFirst()
        return value["message"]?[name]?.text ?? value["message"]?[lower]?.text
    }
}
