import Cryptography
import Primitives

/// Makes the ids of the service; the same seed and purpose make the same ids, and nobody can guess the next one.
package struct IdentifierMint: Sendable, Codable {
    private let root: [UInt8]
    private var counter: UInt64 = 0
    private var stock: [UInt8] = []

    /// The ids of a seed for one purpose.
    package init(seed: [UInt8], purpose: String) {
        root = SHA256.digest(of: Array(purpose.utf8) + [0] + seed).bytes
    }

    /// A UUID of version 4.
    package mutating func uuid() -> String {
        let high = word() & ~0xF000 | 0x4000
        let low = word() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUIDBytes(high: high, low: low).description
    }

    /// Decimal digits, zeros in front among them.
    package mutating func digits(_ count: Int) -> String {
        var limit: UInt64 = 1
        for _ in 0..<count { limit *= 10 }
        let text = String(word() % limit)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Thirty-two hexadecimal digits.
    package mutating func token() -> String {
        var bytes: [UInt8] = []
        for part in [word(), word()] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: part >> shift))
            }
        }
        return Hex.encode(bytes)
    }

    private mutating func word() -> UInt64 {
        if stock.count < 8 {
            counter += 1
            let block = (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64($0 * 8)) }
            stock = SHA256.digest(of: root + block).bytes
        }
        var word: UInt64 = 0
        for byte in stock.suffix(8) { word = word << 8 | UInt64(byte) }
        stock.removeLast(8)
        return word
    }
}
