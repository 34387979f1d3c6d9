import Primitives

/// The identifier of a charge permission, for example `S03-1234567-1234567`; safe in paths, links and log lines.
///
/// `S` begins those of the sandbox, `P` live ones, `B` and `C` recurring ones; other letters are taken too.
package struct ChargePermissionID: Sendable, Hashable, CustomStringConvertible {
    /// 19 characters: a capital letter, two digits, and twice a dash with seven digits.
    package let text: String

    /// An identifier, or `nil` where the text is none.
    package init?(_ text: String) {
        guard ObjectIDShape.isPermission(Array(text.utf8)[...]) else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// The identifier of a charge, that of its permission with `-C` and six digits; safe in paths, links and log lines.
package struct ChargeID: Sendable, Hashable, CustomStringConvertible {
    /// 27 characters, for example `S03-1234567-1234567-C123456`.
    package let text: String
    /// The permission that the charge belongs to.
    package let permission: ChargePermissionID

    /// An identifier, or `nil` where the text is none.
    package init?(_ text: String) {
        guard let permission = ObjectIDShape.permission(of: text, kind: "C") else { return nil }
        self.text = text
        self.permission = permission
    }

    package var description: String { text }
}

/// The identifier of a refund, that of the permission with `-R` and six digits; safe in paths, links and log lines.
package struct RefundID: Sendable, Hashable, CustomStringConvertible {
    /// 27 characters, for example `S03-1234567-1234567-R123456`.
    package let text: String
    /// The permission that the refunded charge belongs to.
    package let permission: ChargePermissionID

    /// An identifier, or `nil` where the text is none.
    package init?(_ text: String) {
        guard let permission = ObjectIDShape.permission(of: text, kind: "R") else { return nil }
        self.text = text
        self.permission = permission
    }

    package var description: String { text }
}

/// What a sign-in brings back: good for reading the buyer's profile, for about a day.
///
/// A secret: its holder can read a name and an address. It is in no description.
package struct BuyerToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// 1 to 1024 characters that a URL takes as they are, and `|`.
    package let text: String

    /// A token, or `nil` where the text cannot be one.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 1024,
            text.utf8.allSatisfy({ Characters.isUnreserved($0) || $0 == UInt8(ascii: "|") }),
            // They would be folded away in a path.
            text.octets != ".", text.octets != ".."
        else { return nil }
        self.text = text
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// As it goes into a path.
    var pathSegment: String { text.octets.parts(between: UInt8(ascii: "|")).joined(separator: "%7C") }
}

/// How the identifiers of permissions, charges and refunds look.
private enum ObjectIDShape {
    /// A capital letter, two digits, and twice a dash with seven digits.
    static func isPermission(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 19 else { return false }
        return zip(text, pattern).allSatisfy { byte, kind in
            switch kind {
            case UInt8(ascii: "A"): byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            case UInt8(ascii: "0"): Characters.isDigit(byte)
            default: byte == kind
            }
        }
    }

    /// The permission that stands before `-`, the kind and six digits.
    static func permission(of text: String, kind: Character) -> ChargePermissionID? {
        let bytes = Array(text.utf8)
        guard bytes.count == 27, bytes[19] == UInt8(ascii: "-"), bytes[20] == kind.asciiValue,
            bytes[21...].allSatisfy(Characters.isDigit)
        else { return nil }
        return ChargePermissionID(String(decoding: bytes[..<19], as: UTF8.self))
    }

    private static let pattern = Array("A00-0000000-0000000".utf8)
}
