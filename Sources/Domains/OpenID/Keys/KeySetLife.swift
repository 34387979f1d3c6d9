package import Primitives

/// How long a provider's set of keys is kept, and when it is read anew.
package struct KeySetLife: Sendable, Equatable {
    /// When the set was read.
    package let readAt: WallTime
    /// How long it is kept without being read anew.
    package let life: Duration

    private static let shortest = 5 * 60
    private static let usual = 15 * 60
    private static let longest = 24 * 3_600
    /// How long an old set serves where the provider cannot be reached.
    package static let grace = Duration.seconds(24 * 3_600)
    /// The shortest time between two readings that something unknown has caused.
    package static let pause = Duration.seconds(60)
    /// From which age on a bad signature may mean that the provider uses a name for another key.
    package static let settled = Duration.seconds(5 * 60)

    /// The life of a set by the fields that came with it.
    ///
    /// - Parameters:
    ///   - cacheControl: `max-age` counts.
    ///   - expires: Counts where there is no `max-age`.
    package init(readAt: WallTime, cacheControl: String?, expires: WallTime?) {
        self.readAt = readAt
        let wanted =
            cacheControl.flatMap(KeySetLife.maximumAge)
            ?? expires.map { Int(clamping: $0.seconds - readAt.seconds) } ?? KeySetLife.usual
        life = .seconds(min(max(wanted, KeySetLife.shortest), KeySetLife.longest))
    }

    /// When it is read anew in the background: at four fifths of its life, and up to a tenth earlier.
    ///
    /// - Parameter jitter: 0 to 1, so that processes do not read at once.
    package func refreshAt(jitter: Double) -> WallTime { readAt + life * (0.8 - 0.1 * min(max(jitter, 0), 1)) }

    /// Whether its life is over.
    package func isOver(at now: WallTime) -> Bool { now >= readAt + life }

    /// Whether it may serve, although its life is over, while the provider cannot be reached.
    package func mayServe(at now: WallTime) -> Bool { now < readAt + life + KeySetLife.grace }

    private static func maximumAge(_ field: String) -> Int? {
        for part in field.octets.parts(between: UInt8(ascii: ",")) {
            let words = part.octets.parts(between: UInt8(ascii: "="), limit: 1).map { trimmed($0) }
            guard words.count == 2, words[0].octets.lowercase.octets == "max-age" else { continue }
            // More digits than a number has are a long time, too.
            return DecimalDigits.parse(words[1].utf8Span.span, limit: .max)
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "\"") }
        let bytes = text.utf8.drop(while: isBlank)
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: bytes[...last], as: UTF8.self)
    }
}

/// Whether what is unknown may have a provider's keys read anew: once in a minute, whoever asks and how often.
package struct KeySetGate: Sendable {
    private var last: WallTime?

    /// A gate through which nobody has gone.
    package init() {}

    /// Lets one reading through.
    ///
    /// - Returns: Whether the caller reads.
    package mutating func pass(at now: WallTime) -> Bool {
        // A clock that was put back does not close it for long.
        if let last, last <= now, now < last + KeySetLife.pause { return false }
        last = now
        return true
    }
}
