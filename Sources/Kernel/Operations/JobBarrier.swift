import Primitives

/// Lets a test wait for the next complete run of a job; safe from any thread.
final class JobBarrier: Sendable {
    typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var waiters: [Waiter] = []
        var isClosed = false
    }

    private let state = Lock(State())

    /// Returns at the end of the next run to begin; at once where there is none any more.
    func nextRun() async {
        await withCheckedContinuation { waiter in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiters.append(waiter) }
                return state.isClosed
            }
            if isClosed { waiter.resume() }
        }
    }

    /// Begins a run.
    ///
    /// - Returns: Those who wait for it, to be resumed at its end.
    func beginRun() -> [Waiter] {
        state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
    }

    /// Says that no run will come.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
