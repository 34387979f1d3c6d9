import Primitives

/// Tells whoever wants to know that a round of a periodic work is over, which began after they had asked.
///
/// Tests wait for it instead of for a while. Safe from any thread.
final class RoundBell: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var waiters: [Waiter] = []
        var isClosed = false
    }

    /// The waiters of one round.
    struct Round {
        fileprivate let waiters: [CheckedContinuation<Void, Never>]
    }

    private let state = Lock(State())

    /// Returns at the end of the next round to begin; at once where there is none any more.
    func next() async {
        await withCheckedContinuation { waiter in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiters.append(waiter) }
                return state.isClosed
            }
            if isClosed { waiter.resume() }
        }
    }

    /// Begins a round.
    ///
    /// - Returns: To be handed to `end`.
    func begin() -> Round {
        state.withLock { state in
            defer { state.waiters = [] }
            return Round(waiters: state.waiters)
        }
    }

    /// Ends a round.
    ///
    /// - Parameter round: From `begin`.
    func end(_ round: Round) {
        for waiter in round.waiters { waiter.resume() }
    }

    /// Says that no round will come.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
