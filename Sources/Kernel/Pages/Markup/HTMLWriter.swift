package import Primitives

/// Writes one document into one buffer, escaping by the type of what is written.
@usableFromInline package struct HTMLWriter {
    /// What was written so far, UTF-8.
    @usableFromInline package private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    @usableFromInline package init() {}

    /// Makes room once, so that writing does not move the buffer.
    ///
    /// - Parameter count: Bytes expected in all.
    @usableFromInline package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    /// Inserts markup as it stands.
    package mutating func html(_ markup: HTML) {
        bytes.append(contentsOf: markup.bytes)
    }

    /// Inserts bytes that this module has written before.
    ///
    /// - Parameter fragment: The finished constant part of a template.
    mutating func fragment(_ fragment: [UInt8]) {
        bytes.append(contentsOf: fragment)
    }

    /// Inserts bytes that this module has written before.
    ///
    /// - Parameter fragment: A part of the constants of a template.
    @usableFromInline
    mutating func fragment(_ fragment: Span<UInt8>) {
        bytes.append(copying: fragment)
    }

    /// Inserts text, escaped for element content and for quoted attributes alike.
    package mutating func text(_ text: String) {
        self.text(text.utf8.span)
    }

    /// Inserts text, escaped for element content and for quoted attributes alike.
    ///
    /// - Parameter text: UTF-8.
    package mutating func text(_ text: Span<UInt8>) {
        // Nearly every text is plain, and a plain one is copied in one go.
        if Entity.areNeeded(text) {
            for index in text.indices { escape(text[index]) }
        } else {
            bytes.append(copying: text)
        }
    }

    /// Inserts text that is written in place.
    ///
    /// - Parameter count: The greatest number of bytes.
    package mutating func text(_ count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let start = bytes.count
        bytes.append(addingCapacity: count) { room in write(&room) }
        guard Entity.areNeeded(bytes.span.extracting(start...)) else { return }
        let text = Array(bytes[start...])
        bytes.removeSubrange(start...)
        self.text(text.span)
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
    package mutating func text(_ wording: Wording) {
        bytes.append(contentsOf: wording.escaped)
    }

    /// Inserts the value of an `href`, `src` or `action` attribute.
    ///
    /// - Parameter target: An address that cannot hold a script.
    package mutating func link(_ target: LinkTarget) {
        text(target.text)
    }

    /// Inserts the value of a `nonce` attribute.
    ///
    /// - Parameter nonce: The one in the policy of the same response.
    package mutating func nonce(_ nonce: Nonce) {
        bytes.append(addingCapacity: Nonce.characterCount) { room in nonce.append(to: &room) }
    }

    /// Inserts a digest in 43 characters of base64url, which need no escapes.
    package mutating func digest(_ digest: Digest32) {
        let raw = InlineArray<32, UInt8>(initializingWith: { room in digest.append(to: &room) })
        bytes.append(addingCapacity: 43) { room in Base64URL.append(raw.span, to: &room) }
    }

    /// Inserts a whole number, without grouping.
    package mutating func number(_ number: Int) {
        DecimalDigits.append(number, to: &bytes)
    }

    /// Inserts a whole number with thousands commas: `27,996`.
    package mutating func grouped(_ number: UInt64) {
        // The greatest has 26 characters. The digits come from behind; divisions by constants are multiplications.
        var text = InlineArray<26, UInt8>(repeating: 0)
        var start = text.count
        var rest = number
        var digits = 0
        repeat {
            if digits > 0, digits % 3 == 0 {
                start -= 1
                text[start] = UInt8(ascii: ",")
            }
            start -= 1
            text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            digits += 1
        } while rest > 0
        bytes.append(copying: text.span.extracting(start...))
    }

    /// Inserts an object for scripts, to stand in a `<script type="application/json">` block.
    ///
    /// - Parameter block: Finished JSON without any character that could end the block.
    package mutating func json(_ block: JSONBlock) {
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
        static let replacement = Array("\u{FFFD}".utf8)
    }
}
