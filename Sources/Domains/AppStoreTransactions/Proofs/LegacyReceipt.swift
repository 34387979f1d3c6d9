import Cryptography
import Primitives

/// Why a receipt cannot be read.
package struct ReceiptError: Error, Sendable, Equatable {
    /// A sentence for people, without a full stop; nothing of it comes from the receipt.
    package let sentence: String
}

/// Receipts of the time before signed texts: a transaction id is taken from one, to ask the server API with.
///
/// No signature is checked, and nothing else in a receipt is believed.
package enum LegacyReceipt {
    /// The most characters of a receipt.
    package static let greatestSize = 1 << 20

    /// The first transaction id in an app receipt; `nil` where it has no purchase.
    ///
    /// - Parameter text: Base64 of PKCS#7, as the app has it in its bundle; line breaks are fine.
    package static func transactionID(inAppReceipt text: String) throws(ReceiptError) -> String? {
        let message = try bytes(of: text)
        do throws(DERError) {
            for attribute in try attributes(in: content(of: DERValue.fromBER(message)))
            where attribute.type == AttributeType.purchase {
                for member in try attributes(in: attribute.value)
                where member.type == AttributeType.transactionID || member.type == AttributeType.originalTransactionID {
                    let value = try DERValue(member.value)
                    guard let id = value.text, id.octets.isWord, id.utf8.count <= 128 else {
                        throw DERError("a transaction id that is none")
                    }
                    return id
                }
            }
            return nil
        } catch {
            throw ReceiptError(sentence: error.sentence)
        }
    }

    /// The transaction id in a transaction receipt; `nil` where it has none.
    ///
    /// - Parameter text: Base64 of a property list, as StoreKit gave it with a purchase until iOS 6.
    package static func transactionID(inTransactionReceipt text: String) throws(ReceiptError) -> String? {
        let list = try bytes(of: text)
        guard let information = value(of: "purchase-info", in: list) else { return nil }
        guard let inner = Base64.decode(String(decoding: information, as: UTF8.self)) else {
            throw ReceiptError(sentence: "the information on the purchase is not Base64")
        }
        return value(of: "transaction-id", in: inner).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func bytes(of text: String) throws(ReceiptError) -> [UInt8] {
        guard text.utf8.count <= greatestSize else { throw ReceiptError(sentence: "too large") }
        let characters = text.utf8.filter { !($0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D) }
        guard let bytes = Base64.decode(String(decoding: characters, as: UTF8.self)), !bytes.isEmpty else {
            throw ReceiptError(sentence: "not Base64")
        }
        return bytes
    }
}

// MARK: - App receipts

extension LegacyReceipt {
    private enum AttributeType {
        static let purchase = 17
        static let transactionID = 1_703
        static let originalTransactionID = 1_705
    }

    private struct Attribute {
        let type: Int
        let value: [UInt8]
    }

    /// What is signed by a message of PKCS#7 in DER.
    private static func content(of message: [UInt8]) throws(DERError) -> [UInt8] {
        let outer = try DERValue(message).values(of: DERValue.Tag.sequence)
        guard outer.count == 2, try outer[0].identifier().octets == "1.2.840.113549.1.7.2",
            let body = try outer[1].values(of: 0xA0).first
        else { throw DERError("no signed data") }
        let parts = try body.values(of: DERValue.Tag.sequence)
        guard parts.count >= 3 else { throw DERError("signed data without content") }
        let information = try parts[2].values(of: DERValue.Tag.sequence)
        guard information.count == 2, try information[0].identifier().octets == "1.2.840.113549.1.7.1",
            let string = try information[1].values(of: 0xA0).first, string.tag == DERValue.Tag.octetString
        else { throw DERError("signed data without content") }
        let content = string.content
        // Xcode puts a string into the string.
        guard content.first == DERValue.Tag.octetString, let inner = try? DERValue(content) else { return content }
        return inner.content
    }

    private static func attributes(in set: [UInt8]) throws(DERError) -> [Attribute] {
        var attributes: [Attribute] = []
        for item in try DERValue(DERValue.fromBER(set)).values(of: DERValue.Tag.set) {
            let parts = try item.values(of: DERValue.Tag.sequence)
            guard parts.count == 3, parts[0].tag == DERValue.Tag.integer, parts[2].tag == DERValue.Tag.octetString
            else { throw DERError("an attribute has type, version and value") }
            let digits = parts[0].content
            guard let first = digits.first, first < 0x80, digits.count <= 7 else {
                throw DERError("the type of an attribute is no number")
            }
            attributes.append(Attribute(type: digits.reduce(0) { $0 << 8 | Int($1) }, value: parts[2].content))
        }
        return attributes
    }
}

// MARK: - Transaction receipts

extension LegacyReceipt {
    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// The value in a line `"key" = "value";` of a property list; `nil` where there is no such line.
    private static func value(of key: String, in list: [UInt8]) -> [UInt8]? {
        let name = Array("\"\(key)\"".utf8)
        var rest = list[...]
        while let found = rest.firstRange(of: name) {
            rest = rest[found.upperBound...]
            let line = rest.drop(while: blanks.contains)
            guard line.first == UInt8(ascii: "=") else { continue }
            let quoted = line.dropFirst().drop(while: blanks.contains)
            guard quoted.first == UInt8(ascii: "\"") else { continue }
            let value = quoted.dropFirst().prefix(while: isPlain)
            let end = quoted.dropFirst(1 + value.count).prefix(2)
            if !value.isEmpty, end.elementsEqual("\";".utf8) { return Array(value) }
        }
        return nil
    }

    /// Characters of Base64, padding among them.
    private static func isPlain(_ character: UInt8) -> Bool {
        switch character {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        default: false
        }
    }
}
