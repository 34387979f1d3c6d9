/// Settings of the mobile apps that cannot be used; all that is wrong with one of them at once.
package struct AppLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence for each problem.
    package let problems: [String]

    package var description: String { problems.joined(separator: "; ") }
}

/// Questions about single ASCII characters.
enum Characters {
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    static func isUpper(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || isUpper(byte & 0xDF) && byte < 0x80
    }
}
