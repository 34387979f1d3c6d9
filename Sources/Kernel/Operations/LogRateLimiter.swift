package import Primitives

/// Lets so many log lines through in a second and counts the rest.
package struct LogRateLimiter {
    private let perSecond: Int
    private var left: Int
    private var secondEnds = MonotonicTime(nanoseconds: 0)
    private var unwritten = 0

    /// A full budget.
    package init(perSecond: Int) {
        self.perSecond = perSecond
        left = perSecond
    }

    /// Takes one line from the budget.
    ///
    /// - Returns: How many lines were not written since the last one; `nil` when this one is not to be written either.
    package mutating func take(at now: MonotonicTime) -> Int? {
        if now >= secondEnds {
            secondEnds = now + .seconds(1)
            left = perSecond
        }
        guard left > 0 else {
            unwritten += 1
            return nil
        }
        left -= 1
        defer { unwritten = 0 }
        return unwritten
    }
}

/// A budget of log lines for each of a few kinds: a flood of one kind leaves the lines of the others alone.
package struct LogBudgets<Kind: Hashable> {
    private let perSecond: Int
    private var limiters: [Kind: LogRateLimiter] = [:]

    /// Full budgets.
    package init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// Takes one line of a kind, as `LogRateLimiter`.
    ///
    /// - Parameter kind: Of a closed list, never a text of a request.
    package mutating func take(_ kind: Kind, at now: MonotonicTime) -> Int? {
        limiters[kind, default: LogRateLimiter(perSecond: perSecond)].take(at: now)
    }
}
