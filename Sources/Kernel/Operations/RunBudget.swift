/// How long one run of background work may go on: up to a deadline, and no longer than the program runs.
package struct RunBudget {
    private let ask: () -> Bool

    /// A budget of the caller's own measure.
    ///
    /// - Parameter isSpent: Asked between two steps of the work, on the loop that does it.
    package init(isSpent: @escaping () -> Bool) {
        ask = isSpent
    }

    /// A budget without an end, for tests and commands.
    package static var unlimited: RunBudget { RunBudget { false } }

    /// Whether no further step may begin.
    package var isSpent: Bool { ask() }
}
