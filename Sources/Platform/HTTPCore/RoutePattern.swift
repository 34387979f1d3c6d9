/// The path of a route, which may have places for ids: `/v1/sessions/{id}/cancel`, or for texts of any form:
/// `/passes/{serial:any}`.
package struct RoutePattern: Sendable, Hashable, ExpressibleByStringLiteral {
    enum Segment: Sendable, Hashable {
        case literal([UInt8])
        /// An id.
        case place(String)
        /// Whatever stands between two slashes, as it came.
        case anything(String)
    }

    /// As it was written.
    package let text: String
    let segments: [Segment]

    /// The greatest number of characters of an id.
    package static let maximumLength = 128

    /// A pattern as it is written in the source.
    ///
    /// - Parameter text: Begins with a slash; a segment in braces stands for any id, and with `:any` for any text but an empty
    ///   one.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// A pattern that is known when the program runs, such as the path of a file.
    package init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(Array(part.utf8)) }
            let name = part.dropFirst().dropLast()
            return name.hasSuffix(":any") ? .anything(String(name.dropLast(4))) : .place(String(name))
        }
    }

    /// Whether slashes too many at the beginning and one at the end are passed over.
    package private(set) var hasLenientSlashes = false

    /// The same path for clients that are not strict about slashes.
    package var withLenientSlashes: RoutePattern {
        var copy = self
        copy.hasLenientSlashes = true
        return copy
    }

    /// Whether one path matches, so that comparing bytes finds it.
    package var isExact: Bool { places.isEmpty && !hasLenientSlashes }

    /// The names of the places, in order.
    package var places: [String] {
        segments.compactMap { segment in
            switch segment {
            case .place(let name), .anything(let name): name
            case .literal: nil
            }
        }
    }

    /// Whether there is one path that both match.
    package func overlaps(_ other: RoutePattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { own, other in
                switch (own, other) {
                case (.literal(let own), .literal(let other)): own == other
                case (.literal(let text), .place), (.place, .literal(let text)): RoutePattern.isID(text.span)
                case (.literal, .anything), (.anything, .literal), (.place, _), (.anything, _): true
                }
            }
    }

    /// Whether the same paths match, whatever the places are called.
    package func matchesSame(as other: RoutePattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { own, other in
                switch (own, other) {
                case (.literal(let own), .literal(let other)): own == other
                case (.place, .place), (.anything, .anything): true
                default: false
                }
            }
    }

    /// Compares with a path and notes where the ids lie.
    ///
    /// - Parameters:
    ///   - path: As it came, nothing decoded. Ids are taken as they stand: 1 to 128 characters of `[A-Za-z0-9._~-]`.
    ///   - match: Gets the ids; has some of them where the answer is false.
    /// - Returns: Whether every segment agrees.
    package func matches(_ path: Span<UInt8>, _ match: inout RouteMatch) -> Bool {
        var start = 0
        if hasLenientSlashes {
            while start + 1 < path.count, path[start] == RoutePattern.slash, path[start + 1] == RoutePattern.slash {
                start += 1
            }
        }
        for segment in segments {
            guard start < path.count, path[start] == RoutePattern.slash else { return false }
            start += 1
            var end = start
            while end < path.count, path[end] != RoutePattern.slash { end += 1 }
            let part = path.extracting(start..<end)
            switch segment {
            case .literal(let bytes): guard part.isEqual(to: bytes.span) else { return false }
            case .place:
                guard RoutePattern.isID(part) else { return false }
                match.capture(start..<end)
            case .anything:
                guard !part.isEmpty else { return false }
                match.capture(start..<end)
            }
            start = end
        }
        return start == path.count
            || hasLenientSlashes && start == path.count - 1 && path[start] == RoutePattern.slash
    }

    private static let slash = UInt8(ascii: "/")

    private static func isID(_ part: Span<UInt8>) -> Bool {
        guard part.count > 0, part.count <= maximumLength else { return false }
        for index in part.indices {
            switch part[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
