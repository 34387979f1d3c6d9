import Primitives
import StrictJSON

/// Reads what Amazon Pay has put into the envelope; the signature is good by now.
enum InnerMessage {
    /// What a message says; refused as `malformed` where it is none of Amazon Pay, as `foreign` where it is about another
    /// merchant.
    static func read(
        _ envelope: SNSEnvelope,
        of merchantID: String
    ) throws(NotificationRefusal) -> VerifiedNotification {
        let payload = try payload(envelope.message)
        if let merchant = payload.merchantID, merchant.octets != merchantID.octets { throw .foreign(.merchant) }
        guard let kind = ObjectChange.Kind(word: payload.kind.octets) else {
            return .unknownObject(messageID: envelope.messageID, kind: printable(payload.kind))
        }
        guard let objectID = payload.objectID, isIdentifier(objectID) else {
            throw .malformed("ObjectId is no identifier")
        }
        // Empty, null and missing are alike.
        let permission = payload.permission.flatMap { $0.isEmpty ? nil : $0 }
        if let permission, !isIdentifier(permission) {
            throw .malformed("ChargePermissionId is no identifier")
        }
        return .change(
            ObjectChange(
                messageID: envelope.messageID,
                kind: kind,
                objectID: objectID,
                permission: permission,
                merchantID: merchantID,
                notificationType: printable(payload.notificationType),
                notificationID: payload.notificationID.flatMap { $0.utf8.count <= 128 ? $0 : nil }
            )
        )
    }

    private static func payload(_ message: String) throws(NotificationRefusal) -> Payload {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(Array(message.utf8), values: SNSEnvelope.mostValues)
        } catch {
            throw .malformed("the message is not strict JSON")
        }
        do throws(JSONRefusal) {
            return try Payload(value)
        } catch {
            throw .malformed(error.description)
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { isIdentifierByte($0) }
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Fit for a log line: up to 64 printable ASCII characters.
    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 >= 0x20 && $0 < 0x7F }.prefix(64), as: UTF8.self)
    }
}

/// The members that are looked at, each in one of its spellings.
private struct Payload {
    /// `nil` in messages of the earlier interface only, where it may be absent.
    var merchantID: String?
    var kind: String
    var objectID: String?
    var permission: String?
    var notificationType = ""
    var notificationID: String?

    init(_ value: JSONValue) throws(JSONRefusal) {
        var reader = try JSONReader(value)
        // The earlier interface has XML inside, and other names around it.
        if case .some = reader.value("NotificationData") {
            merchantID = try reader.optionalText("SellerId")
            kind = try reader.optionalText("NotificationType") ?? ""
            return
        }
        merchantID = try Payload.text(["MerchantID", "merchantID", "merchantId"], &reader)
        kind = try Payload.text(["ObjectType", "objectType"], &reader)
        objectID = try Payload.text(["ObjectId", "objectId"], &reader)
        permission = try Payload.optionalText(["ChargePermissionId", "chargePermissionId"], &reader)
        notificationType = try Payload.optionalText(["NotificationType", "notificationType"], &reader) ?? ""
        notificationID = try Payload.optionalText(["NotificationId", "notificationId"], &reader)
    }

    private static func text(_ spellings: [String], _ reader: inout JSONReader) throws(JSONRefusal) -> String {
        guard let text = try optionalText(spellings, &reader) else {
            throw reader.refusal(spellings.first ?? "", .missing)
        }
        return text
    }

    /// A member that has several spellings, of which one may be there.
    private static func optionalText(
        _ spellings: [String],
        _ reader: inout JSONReader
    ) throws(JSONRefusal) -> String? {
        var found: String?
        for spelling in spellings {
            guard let text = try reader.optionalText(spelling) else { continue }
            guard case .none = found else { throw reader.refusal(spelling, .unknown) }
            found = text
        }
        return found
    }
}
