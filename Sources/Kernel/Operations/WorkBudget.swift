package import Primitives

/// Keeps background work of the database within a share of one core: a token bucket that holds time.
///
/// Work may begin while there is time in it and takes what it took, so the last step may leave a debt. In any minute no more is
/// spent than what it holds, what webview sessions in, and one step.
package struct WorkBudget {
    /// What it holds when it is full: what a small installation needs in a minute, without a rest.
    private let size: Duration
    /// What webview sessions in during a second.
    private let perSecond: Duration
    /// No debt is deeper, or one statement that hung would put maintenance off for an hour.
    private let deepest: Duration
    private var level: Duration
    private var levelAt: MonotonicTime

    /// A full budget.
    ///
    /// - Parameters:
    ///   - most: What may be spent in any minute, if no step takes more than a tenth of it.
    package init(perMinute most: Duration, at now: MonotonicTime) {
        size = most / 10
        perSecond = most * 8 / 600
        deepest = .zero - most
        level = size
        levelAt = now
    }

    /// How long to wait before the next step.
    package mutating func wait(at now: MonotonicTime) -> Duration {
        refill(at: now)
        guard level <= .zero else { return .zero }
        // A little above nothing, or the next step would begin with nothing.
        return .milliseconds(1) + .seconds(1) * ((.zero - level) / perSecond)
    }

    /// Takes what a step took.
    package mutating func spend(_ work: Duration, at now: MonotonicTime) {
        refill(at: now)
        level = max(level - work, deepest)
    }

    private mutating func refill(at now: MonotonicTime) {
        level = min(size, level + perSecond * ((now - levelAt) / .seconds(1)))
        levelAt = now
    }
}
