/// The identifier of a checkout session: a UUID in lower case with its dashes.
package struct CheckoutSessionID: Sendable, Hashable, CustomStringConvertible {
    /// 36 characters of `[0-9a-f-]`.
    package let text: String

    /// An identifier, or `nil` where the text is none; safe in paths, links and log lines.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isDash = byte == UInt8(ascii: "-")
            let isDigit = Characters.isDigit(byte) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"))
            guard CheckoutSessionID.dashes.contains(index) ? isDash : isDigit else { return nil }
        }
        self.text = text
    }

    package var description: String { text }

    private static let dashes = [8, 13, 18, 23]
}
