import Primitives

@testable import Notifications

/// What is posted as a message of the notification service: the envelope, and what is inside.
///
/// What is accepted is strict JSON with one spelling of each member; what is signed can be taken apart in one way.
let notificationTarget = FuzzTarget(
    name: "notification",
    examine: { unit in
        examineEnvelope(unit)
        // And as the message in a good envelope.
        guard String(validating: unit, as: UTF8.self) != nil else { return }
        guard let envelope = try? SNSEnvelope(wrapped(unit)) else { return check(false, "a good envelope is taken") }
        check(Array(envelope.message.utf8) == unit, "a message comes through as it is")
        examineInside(envelope, unit)
    },
    read: { unit in
        if let envelope = try? SNSEnvelope(unit) { _ = envelope.canonicalOctets }
        guard String(validating: unit, as: UTF8.self) != nil else { return }
        if let envelope = try? SNSEnvelope(wrapped(unit)) { _ = try? InnerMessage.read(envelope, of: "M") }
    }
)

/// An envelope around a message.
private func wrapped(_ message: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var output = Array(
        #"{"Type":"Notification","MessageId":"m","TopicArn":"t","Timestamp":"2026-03-14T02:00:00.000Z","SignatureVersion":"2","#
            .utf8
    )
    output += Array(#""Signature":"AA==","SigningCertURL":"u","Message":""#.utf8)
    for byte in message {
        output +=
            byte < 0x20 || byte == 0x22 || byte == 0x5C
            ? Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
    }
    return output + Array(#""}"#.utf8)
}

private func examineEnvelope(_ unit: [UInt8]) {
    guard let envelope = try? SNSEnvelope(unit) else { return }
    guard let canonical = JSONGrammar.canonical(unit) else { return check(false, "an envelope is strict JSON") }
    let again = try? SNSEnvelope(canonical)
    check(again?.canonicalOctets == envelope.canonicalOctets, "the canonical form is signed the same")
    let members = JSONGrammarMembers(canonical)
    check(members.texts(["SigningCertURL", "SigningCertUrl"]).count == 1, "an envelope names one certificate")
    check(members.texts(["Type"]) == [Array(envelope.type.rawValue.utf8)], "an envelope names one type")
    let isNotification = envelope.type == .notification
    check((envelope.token == nil) == isNotification, "a token is there where it is signed")
    check((envelope.subscribeURL == nil) == isNotification, "an address is there where it is signed")
    check(isNotification || envelope.subject == nil, "a subject is there where it is signed")
    check(!envelope.signature.isEmpty, "a signature has a byte")
}

private func examineInside(_ envelope: SNSEnvelope, _ message: [UInt8]) {
    guard let found = try? InnerMessage.read(envelope, of: "M") else { return }
    guard let canonical = JSONGrammar.canonical(message) else { return check(false, "a message is strict JSON") }
    let members = JSONGrammarMembers(canonical)
    switch found {
    case .change(let change):
        let isWord = change.objectID.utf8.allSatisfy { RequestGrammar.isAlphanumeric($0) || "-._".utf8.contains($0) }
        check(isWord && (1...128).contains(change.objectID.utf8.count), "an object's id is a word")
        check(members.texts(["ObjectId", "objectId"]) == [Array(change.objectID.utf8)], "a message names one object")
        check(
            members.texts(["ObjectType", "objectType"]) == [Array(change.kind.rawValue.utf8)],
            "a message names one kind"
        )
        check(
            members.texts(["MerchantID", "merchantID", "merchantId"]).allSatisfy { $0 == Array("M".utf8) },
            "an object is ours"
        )
        check(
            change.notificationType.utf8.count <= 64 && isPrintable(change.notificationType),
            "a type is fit for the log"
        )
    case .unknownObject(_, let kind): check(kind.utf8.count <= 64 && isPrintable(kind), "a kind is fit for the log")
    case .subscription, .unsubscription: check(false, "a notification is no confirmation")
    }
}

private func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

/// The members of an object in canonical form whose values are plain texts; found without a parser, by level.
struct JSONGrammarMembers {
    private var members: [(name: [UInt8], value: [UInt8])] = []

    init(_ canonical: [UInt8]) {
        var level = 0
        var words: [[UInt8]] = []
        var rest = canonical[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
            case UInt8(ascii: ","): if level == 1 { words = [] }
            case 0x22:
                var word: [UInt8] = []
                while let byte = rest.popFirst(), byte != 0x22 {
                    word.append(byte)
                    if byte == UInt8(ascii: "\\"), let next = rest.popFirst() { word.append(next) }
                }
                guard level == 1 else { continue }
                words.append(word)
                if words.count == 2 { members.append((words[0], words[1])) }
            default: break
            }
        }
    }

    /// The values of members that have one of some names; as written, escapes and all.
    func texts(_ names: [String]) -> [[UInt8]] {
        members.filter { member in names.contains { Array($0.utf8) == member.name } }.map(\.value)
    }
}
