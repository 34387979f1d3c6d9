import Commerce
import Primitives
import SessionBroker

/// Writes one document into one buffer, escaping by the type of what is written.
struct HTMLWriter {
    /// What was written so far, UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Makes room once, so that writing does not move the buffer.
    ///
    /// - Parameter count: Bytes expected in all.
    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Inserts markup as it stands.
    ///
    /// - Parameter markup: A literal of the sources.
    mutating func html(_ markup: HTML) {
        bytes.append(contentsOf: markup.bytes)
    }

    /// Inserts bytes that this module has written before.
    ///
    /// - Parameter fragment: The finished constant part of a template.
    mutating func fragment(_ fragment: [UInt8]) {
        bytes.append(contentsOf: fragment)
    }

    /// Inserts text, escaped for element content and for quoted attributes alike.
    ///
    /// - Parameter text: Any text.
    mutating func text(_ text: String) {
        // Nearly every text is plain, and a plain one is copied in one go.
        if Entity.areNeeded(text.utf8.span) {
            for byte in text.utf8 { escape(byte) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "&"): bytes.append(contentsOf: Entity.ampersand)
        case UInt8(ascii: "<"): bytes.append(contentsOf: Entity.less)
        case UInt8(ascii: ">"): bytes.append(contentsOf: Entity.greater)
        case UInt8(ascii: "\""): bytes.append(contentsOf: Entity.quote)
        case UInt8(ascii: "'"): bytes.append(contentsOf: Entity.apostrophe)
        // A NUL has no place in a document; browsers replace it too.
        case 0: bytes.append(contentsOf: Entity.replacement)
        default: bytes.append(byte)
        }
    }

    /// Inserts a text of the tables.
    ///
    /// - Parameter wording: Escaped when it was made.
    mutating func text(_ wording: Wording) {
        bytes.append(contentsOf: wording.escaped)
    }

    /// Inserts the value of an `href`, `src` or `action` attribute.
    ///
    /// - Parameter target: An address that cannot hold a script.
    mutating func link(_ target: LinkTarget) {
        text(target.text)
    }

    /// Inserts the value of a `nonce` attribute.
    ///
    /// - Parameter nonce: The one in the policy of the same response.
    mutating func nonce(_ nonce: Nonce) {
        bytes.append(addingCapacity: Nonce.characterCount) { room in nonce.append(to: &room) }
    }

    /// Inserts a token, whose characters need no escapes.
    ///
    /// - Parameter token: Of any role.
    mutating func token<Role>(_ token: FlowToken<Role>) {
        bytes.append(addingCapacity: FlowToken<Role>.characterCount) { room in token.append(to: &room) }
    }

    /// Inserts a whole number, without grouping.
    ///
    /// - Parameter number: Any.
    mutating func number(_ number: Int) {
        DecimalDigits.append(number, to: &bytes)
    }

    /// Inserts an amount: full-width yen sign, thousands commas.
    ///
    /// - Parameter amount: Any.
    mutating func yen(_ amount: Yen) {
        bytes.append(contentsOf: Entity.yen)
        grouped(amount)
    }

    /// Inserts an amount without its sign, as it travels in forms: `27,996`.
    ///
    /// - Parameter amount: Any.
    mutating func grouped(_ amount: Yen) {
        var unit: Int64 = 1
        while amount.amount / unit >= 1000 { unit *= 1000 }
        DecimalDigits.append(Int(amount.amount / unit), to: &bytes)
        while unit > 1 {
            unit /= 1000
            bytes.append(UInt8(ascii: ","))
            var digit: Int64 = 100
            while digit > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: amount.amount / unit / digit % 10))
                digit /= 10
            }
        }
    }

    /// Inserts an object for scripts, to stand in a `<script type="application/json">` block.
    ///
    /// - Parameter block: Finished JSON without any character that could end the block.
    mutating func json(_ block: JSONBlock) {
        bytes.append(contentsOf: block.bytes)
    }

    private enum Entity {
        /// Whether a byte is written in another way.
        private static func isNeeded(_ byte: UInt8) -> Bool {
            // One bit for each of the first 64 characters; all of the six are among them.
            let mask: UInt64 = 0x5000_00C4_0000_0001
            return byte < 64 && mask >> UInt64(byte) & 1 == 1
        }

        static func areNeeded(_ text: Span<UInt8>) -> Bool {
            for index in text.indices where isNeeded(text[index]) { return true }
            return false
        }

        static let ampersand = Array("&amp;".utf8)
        static let less = Array("&lt;".utf8)
        static let greater = Array("&gt;".utf8)
        static let quote = Array("&quot;".utf8)
        static let apostrophe = Array("&#39;".utf8)
        static let yen = Array("\u{FFE5}".utf8)
        static let replacement = Array("\u{FFFD}".utf8)
    }
}
