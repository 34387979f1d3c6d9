import Cryptography
import Notifications
import Primitives
import StrictJSON

/// A message that a test puts together and the test service signs.
struct SignedNotification {
    var members: [String: JSONValue] = [
        "Type": "Notification", "MessageId": "m-1", "TopicArn": .string(NotificationVectors.topic), "Message": "{}",
        "Timestamp": "2026-03-14T02:00:00.000Z", "SignatureVersion": "2", "Signature": "AAAA",
        "SigningCertURL": .string(NotificationVectors.url),
    ]

    /// 2026-03-14T02:00:00Z.
    static let timestamp = WallTime(seconds: 1_773_453_600)

    /// With a good signature, whatever else is wrong.
    func signed() throws -> [UInt8] {
        var copy = self
        let envelope = try SNSEnvelope(body)
        let key = try RSAPrivateKey(pem: Secret(NotificationVectors.pem("sns-leaf-key.pem")))
        let digest = envelope.digest ?? .sha256
        copy.members["Signature"] = .string(
            Base64.encode(try key.signPKCS1(envelope.canonicalOctets, digest: digest))
        )
        return copy.body
    }

    var body: [UInt8] {
        JSONValue.object(members.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }).bytes
    }

    /// The word of the refusal of a body, or `nil` where it is an envelope.
    static func refusal(_ body: [UInt8]) -> String? {
        do throws(NotificationRefusal) {
            _ = try SNSEnvelope(body)
            return nil
        } catch {
            guard case .malformed(let text) = error else { return error.outcome }
            return text
        }
    }
}
