/// The frames a peer may send for nothing: each costs this side work and brings no request closer to its answer.
///
/// A bucket for each kind, filled at a steady rate and by useful work. A peer that empties one is sent away.
struct FrameRateLimiter {
    /// One bucket, in thousandths of a frame.
    private var levels: [8 of Int]
    private let burst: Int
    private let perSecond: Int
    private var lastRefill: Int64

    init(_ limits: HTTP2Limits, at milliseconds: Int64) {
        burst = max(1, limits.frameBurst)
        perSecond = max(1, limits.framesPerSecond)
        lastRefill = milliseconds
        levels = [8 of Int](repeating: 0)
        for kind in FloodKind.allCases { levels[kind.rawValue] = burst * kind.factor * 1000 }
    }

    /// Fills all buckets up to the present.
    mutating func refill(at milliseconds: Int64) {
        // An hour fills every bucket, and the product stays small.
        let gone = Int(min(max(0, milliseconds - lastRefill), 3_600_000))
        guard gone > 0 else { return }
        lastRefill = milliseconds
        for kind in FloodKind.allCases { add(gone * perSecond * kind.factor, to: kind) }
    }

    /// Takes one frame out of its bucket.
    ///
    /// - Returns: False where none was left.
    mutating func take(_ kind: FloodKind) -> Bool {
        guard levels[kind.rawValue] >= 1000 else { return false }
        levels[kind.rawValue] -= 1000
        return true
    }

    /// Allows further frames of a kind because useful work calls for them.
    mutating func allow(_ frames: Int, of kind: FloodKind) {
        add(frames * 1000, to: kind)
    }

    private mutating func add(_ thousandths: Int, to kind: FloodKind) {
        levels[kind.rawValue] = min(levels[kind.rawValue] + thousandths, burst * kind.factor * 1000)
    }
}

/// What a flood consists of.
package enum FloodKind: Int, Sendable, Hashable, CaseIterable {
    /// PING, in either direction.
    case ping
    /// SETTINGS, in either direction.
    case settings
    /// Streams that end in a reset of either side.
    case reset
    /// WINDOW_UPDATE.
    case windowUpdate
    /// PRIORITY and PRIORITY_UPDATE.
    case priority
    /// DATA without content that ends nothing.
    case emptyData
    /// CONTINUATION.
    case continuation
    /// Frames of an unknown type.
    case unknown

    /// How many times the base of the limits a well-behaved peer may need.
    var factor: Int {
        switch self {
        case .ping, .settings, .emptyData, .continuation, .unknown: 1
        case .reset: 2
        case .priority: 5
        case .windowUpdate: 20
        }
    }
}
