/// What a router has found out about the path of a request, kept with the request so that it looks once.
package struct RouteMatch: Sendable {
    /// The row of the router's table.
    package enum Row: Sendable, Hashable {
        /// Nobody has looked yet.
        case unsearched
        /// There is none.
        case none
        /// Its index in the table.
        case found(Int)
    }

    /// More places than any pattern has.
    package static let maximumCaptures = 6

    /// The row of the router's table.
    package var row = Row.unsearched
    /// How many places of the pattern were filled.
    package private(set) var captureCount = 0
    private var captures = InlineArray<6, ByteRange>(repeating: ByteRange())

    /// Nothing found yet.
    package init() {}

    /// Notes where the next place of the pattern lies in the path.
    ///
    /// - Parameter part: Offsets from the first byte of the path. Beyond `maximumCaptures` it is dropped.
    package mutating func capture(_ part: Range<Int>) {
        guard captureCount < RouteMatch.maximumCaptures else { return }
        captures[captureCount] = ByteRange(part)
        captureCount += 1
    }

    /// Where a place lies in the path, or `nil` where the pattern has fewer.
    func capture(at index: Int) -> ByteRange? {
        index >= 0 && index < captureCount ? captures[index] : nil
    }
}

extension HTTPRequest {
    /// What stands at a place of the route's pattern, as it came; empty where the pattern has fewer places.
    ///
    /// - Parameter index: From zero, in the order of the pattern.
    package func capture(_ index: Int) -> String {
        guard let part = match.capture(at: index) else { return "" }
        return withBytes(storage.path) { path in path.extracting(part.clamped(to: path.count)).text }
    }

    /// Looks at the path in place.
    package func withPath<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withBytes(storage.path, body)
    }
}
