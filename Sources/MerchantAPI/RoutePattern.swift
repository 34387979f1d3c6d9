/// The path of a route with places for ids, for example `/v1/sessions/{id}/cancel`.
package struct RoutePattern: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Part: Sendable, Hashable {
        case word(String)
        case parameter(String)
    }

    /// As it was written.
    package let text: String
    private let parts: [Part]

    /// The greatest number of characters of an id.
    package static let maximumLength = 128

    /// A pattern as it is written in the source.
    ///
    /// - Parameter text: Begins with a slash; a part in braces stands for any id.
    package init(stringLiteral text: String) {
        self.text = text
        parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// The names of the places, in order.
    package var parameters: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The ids in a path, or `nil` where it is another one.
    ///
    /// - Parameter path: As it came. Ids are taken as they stand: 1 to 128 characters of `[A-Za-z0-9._~-]`, nothing encoded.
    /// - Returns: One text for each place.
    package func match(_ path: String) -> [String]? {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard pieces.count == parts.count else { return nil }
        var ids: [String] = []
        for (part, piece) in zip(parts, pieces) {
            switch part {
            case .word(let word): guard word == piece else { return nil }
            case .parameter:
                guard RoutePattern.isID(piece) else { return nil }
                ids.append(String(piece))
            }
        }
        return ids
    }

    private static func isID(_ piece: Substring) -> Bool {
        !piece.isEmpty && piece.utf8.count <= maximumLength
            && piece.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
