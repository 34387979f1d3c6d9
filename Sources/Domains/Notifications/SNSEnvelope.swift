package import Cryptography
package import Primitives
import StrictJSON

/// What Amazon's notification service wraps around a message when it posts it.
///
/// Holds what the signature covers and nothing else of the content. Nothing in it is to be believed before the signature
/// was verified.
package struct SNSEnvelope: Sendable {
    /// What a message is about.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Something has happened.
        case notification = "Notification"
        /// Somebody wants our address to get the messages of a topic.
        case subscriptionConfirmation = "SubscriptionConfirmation"
        /// Our address gets no more messages of a topic.
        case unsubscribeConfirmation = "UnsubscribeConfirmation"
    }

    /// What the message is about.
    package let type: Kind
    /// The same at every delivery of a message: 1 to 100 printable ASCII characters without blanks.
    package let messageID: String
    /// The topic's name, `arn:aws:sns:...`.
    package let topic: String
    /// The subject of a notification; `nil` where there is none, and for confirmations, whose signature does not cover it.
    package let subject: String?
    /// The message as text, escapes undone.
    package let message: String
    /// When the message was published; the same at every delivery.
    package let timestamp: WallTime
    /// How it is signed; `1` and `2` are known.
    package let version: String
    /// The signature; at least one byte.
    package let signature: [UInt8]
    /// Where the certificate is said to be: any text.
    package let certificateURL: String
    /// The token of a confirmation; `nil` for notifications, whose signature does not cover it.
    package let token: String?
    /// Where a subscription is said to be confirmed: any text; `nil` for notifications, whose signature does not cover it.
    package let subscribeURL: String?

    /// The most values of an envelope, and of the message inside: each has about ten.
    static let mostValues = 256

    /// As it was written, which is how it was signed.
    private let timestampText: String

    /// Reads an envelope.
    ///
    /// - Parameter body: Of a request; its size was bounded by the reader.
    /// - Throws: `malformed` for anything but one JSON object without repeated names, in which every member that is needed has
    ///   its type, its form, and one spelling; members that are not needed are not looked at.
    package init(_ body: [UInt8]) throws(NotificationRefusal) {
        let members = try Members(body)
        guard let type = Kind(word: members.type.octets) else { throw .malformed("Type is not known") }
        guard SNSEnvelope.isIdentifier(members.messageID) else { throw .malformed("MessageId is no identifier") }
        guard let timestamp = SNSTimestamp.parse(members.timestamp) else { throw .malformed("Timestamp is no time") }
        guard let signature = Base64.decode(members.signature), !signature.isEmpty else {
            throw .malformed("Signature is not Base64")
        }
        self.type = type
        messageID = members.messageID
        topic = members.topic
        message = members.message
        self.timestamp = timestamp
        timestampText = members.timestamp
        version = members.version
        self.signature = signature
        certificateURL = members.certificateURL
        switch type {
        case .notification:
            subject = members.subject
            token = nil
            subscribeURL = nil
        case .subscriptionConfirmation, .unsubscribeConfirmation:
            guard let token = members.token else { throw .malformed("Token is missing") }
            guard let subscribeURL = members.subscribeURL else { throw .malformed("SubscribeURL is missing") }
            subject = nil
            self.token = token
            self.subscribeURL = subscribeURL
        }
    }

    /// The digest under the signature; `nil` for a version that is not known.
    package var digest: DigestAlgorithm? {
        switch version.octets {
        case "1": .sha1
        case "2": .sha256
        default: nil
        }
    }

    /// What is signed: names and values in the order of the names, each followed by a line feed, values as decoded.
    package var canonicalOctets: [UInt8] {
        let parts: [(StaticString, String?)] = [
            ("Message", message), ("MessageId", messageID), ("Subject", subject), ("SubscribeURL", subscribeURL),
            ("Timestamp", timestampText), ("Token", token), ("TopicArn", topic), ("Type", type.rawValue),
        ]
        var octets: [UInt8] = []
        for case (let name, .some(let value)) in parts {
            octets += "\(name)\n".utf8
            octets += value.utf8
            octets.append(UInt8(ascii: "\n"))
        }
        return octets
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// The members of an envelope as texts.
private struct Members {
    let type: String
    let messageID: String
    let topic: String
    let subject: String?
    let message: String
    let timestamp: String
    let version: String
    let signature: String
    let certificateURL: String
    let token: String?
    let subscribeURL: String?

    init(_ body: [UInt8]) throws(NotificationRefusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(body, values: SNSEnvelope.mostValues)
        } catch {
            // The error may hold a name of the sender's choice.
            throw .malformed("the body is not strict JSON")
        }
        do throws(JSONRefusal) {
            self = try Members(value)
        } catch {
            throw .malformed(error.description)
        }
    }

    private init(_ value: JSONValue) throws(JSONRefusal) {
        var reader = try JSONReader(value)
        type = try reader.text("Type")
        messageID = try reader.text("MessageId")
        topic = try reader.text("TopicArn")
        subject = try reader.optionalText("Subject")
        message = try reader.text("Message")
        timestamp = try reader.text("Timestamp")
        version = try reader.text("SignatureVersion")
        signature = try reader.text("Signature")
        token = try reader.optionalText("Token")
        subscribeURL = try Members.address("SubscribeURL", "SubscribeUrl", &reader)
        guard let address = try Members.address("SigningCertURL", "SigningCertUrl", &reader) else {
            throw reader.refusal("SigningCertURL", .missing)
        }
        certificateURL = address
    }

    /// A member that has two spellings, of which one may be there.
    private static func address(
        _ name: String,
        _ alias: String,
        _ reader: inout JSONReader
    ) throws(JSONRefusal) -> String? {
        let plain = try reader.optionalText(name)
        let other = try reader.optionalText(alias)
        if case (.some, .some) = (plain, other) { throw reader.refusal(alias, .unknown) }
        return plain ?? other
    }
}
