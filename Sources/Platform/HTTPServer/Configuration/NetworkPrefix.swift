import EventIO
import Primitives

/// A range of network addresses, such as `10.0.0.0/8`, `2001:db8::/32` or a single address.
package struct NetworkPrefix: Sendable, Hashable {
    /// 4 or 16 bytes.
    private let bytes: [UInt8]
    private let length: Int

    /// The range behind a text, or `nil` where it is none.
    ///
    /// - Parameter text: An address, or an address, a slash and the number of leading bits that count.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, let address = SocketAddress(host: String(host)) else { return nil }
        let bytes = address.addressBytes
        var length = bytes.count * 8
        if parts.count == 2 {
            let digits = Array(parts[1].utf8)
            guard let number = DecimalDigits.parse(digits.span, limit: length) else { return nil }
            length = number
        }
        self.bytes = bytes
        self.length = length
    }

    /// Whether an address lies in the range.
    ///
    /// - Parameter address: 4 or 16 bytes, most significant first; another kind of address lies in no range.
    /// - Returns: True when the leading bits agree.
    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let whole = length / 8
        guard address[..<whole] == bytes[..<whole] else { return false }
        let rest = length % 8
        return rest == 0 || (address[whole] ^ bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
