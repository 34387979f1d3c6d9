package import Cryptography
import StrictJSON

/// What the sender wraps around a message: an independent second writing of what the broker's receiver reads.
package struct NotificationEnvelope: Sendable {
    /// What a message is about.
    package enum Kind: String, Sendable, CaseIterable {
        /// Something has happened.
        case notification = "Notification"
        /// The receiver is asked whether it wants the messages of a topic.
        case subscription = "SubscriptionConfirmation"
        /// The receiver gets no more messages of a topic.
        case unsubscription = "UnsubscribeConfirmation"
    }

    /// What the message is about.
    package var kind = Kind.notification
    /// The same at every delivery, duplicates among them.
    package let messageID: String
    /// `arn:aws:sns:…`.
    package var topicARN: String
    /// Only of notifications; `nil` for none.
    package var subject: String?
    /// Any text; of notifications JSON.
    package var message: String
    /// `2026-03-14T02:00:00.000Z`, the same at every delivery.
    package let timestamp: String
    /// `1` for SHA-1, `2` for SHA-256; anything else is signed like `2` and known to nobody.
    package var version = "1"
    /// Where the signing certificate is.
    package var certificateURL: String
    /// Only of notifications; not signed.
    package var unsubscribeURL: String?
    /// Only of confirmations.
    package var token: String?
    /// Only of confirmations.
    package var subscribeURL: String?

    /// A notification in version 1 without a subject.
    ///
    /// - Parameters:
    ///   - messageID: The same at every delivery.
    ///   - topicARN: `arn:aws:sns:…`.
    ///   - timestamp: `2026-03-14T02:00:00.000Z`.
    package init(messageID: String, topicARN: String, message: String, timestamp: String, certificateURL: String) {
        self.messageID = messageID
        self.topicARN = topicARN
        self.message = message
        self.timestamp = timestamp
        self.certificateURL = certificateURL
    }

    /// What is signed: names and values in the order of the names, each with a line feed behind it.
    package var signedText: String {
        let parts: [(String, String?)] =
            kind == .notification
            ? [
                ("Message", message), ("MessageId", messageID), ("Subject", subject), ("Timestamp", timestamp),
                ("TopicArn", topicARN), ("Type", kind.rawValue),
            ]
            : [
                ("Message", message), ("MessageId", messageID), ("SubscribeURL", subscribeURL),
                ("Timestamp", timestamp), ("Token", token), ("TopicArn", topicARN), ("Type", kind.rawValue),
            ]
        return parts.map { name, value in value.map { "\(name)\n\($0)\n" } ?? "" }.joined()
    }

    /// Signs the envelope by RSASSA-PKCS1-v1_5.
    ///
    /// - Parameter key: The key of the certificate behind `certificateURL`.
    /// - Returns: The signature in Base64.
    /// - Throws: `failed` where OpenSSL refuses.
    package func signature(by key: RSAPrivateKey) throws(CryptographyError) -> String {
        let digest: DigestAlgorithm = version == "1" ? .sha1 : .sha256
        return Base64.encode(try key.signPKCS1(Array(signedText.utf8), digest: digest))
    }

    /// The content of the request, with a signature that may be any text.
    func body(signature: String) -> [UInt8] {
        let members: [(String, String?)] = [
            ("Type", kind.rawValue), ("MessageId", messageID), ("Token", token), ("TopicArn", topicARN),
            ("Subject", subject), ("Message", message), ("SubscribeURL", subscribeURL), ("Timestamp", timestamp),
            ("SignatureVersion", version), ("Signature", signature), ("SigningCertURL", certificateURL),
            ("UnsubscribeURL", unsubscribeURL),
        ]
        return JSONValue.object(
            members.compactMap { name, value in value.map { JSONMember(name, .string($0)) } }
        ).bytes
    }

    /// The fields of the request.
    var fields: [(name: String, value: String)] {
        [
            // Says text although the body is JSON, as the real sender does.
            ("content-type", "text/plain; charset=UTF-8"), ("x-amz-sns-message-type", kind.rawValue),
            ("x-amz-sns-message-id", messageID), ("x-amz-sns-topic-arn", topicARN),
            ("user-agent", "Amazon Simple Notification Service Agent"),
        ]
    }

    /// The inner message about a change, as text.
    static func message(about change: StateChange, type: String, notificationID: String) -> String {
        let value: JSONValue = [
            "MerchantID": .string(change.merchantID), "ObjectType": .string(change.kind.rawValue),
            "ObjectId": .string(change.objectID), "ChargePermissionId": .string(change.permissionID),
            "NotificationType": .string(type), "NotificationId": .string(notificationID),
            "NotificationVersion": "V2",
        ]
        return String(decoding: value.bytes, as: UTF8.self)
    }
}
