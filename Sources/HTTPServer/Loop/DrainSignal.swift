import Synchronization

/// Tells the parts of a server on all loops to drain, and whoever asked that they have.
final class DrainSignal: Sendable {
    private struct State {
        var isDraining = false
        var parts = 0
        /// Parts that wait for the drain to begin.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Callers that wait for the last part to end.
        var callers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Counts a part in, unless the drain has begun.
    func addPart() -> Bool {
        state.withLock { state in
            guard !state.isDraining else { return false }
            state.parts += 1
            return true
        }
    }

    /// Waits until the drain begins.
    func wait() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !state.isDraining { state.waiting.append(continuation) }
                return state.isDraining
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Counts a part out.
    func partEnded() {
        let callers = state.withLock { state in
            state.parts -= 1
            guard state.isDraining, state.parts == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.callers = [] }
            return state.callers
        }
        for caller in callers { caller.resume() }
    }

    /// Begins the drain and waits until the last part has ended.
    func drain() async {
        await withCheckedContinuation { continuation in
            let (waiting, isDone) = state.withLock { state in
                state.isDraining = true
                defer { state.waiting = [] }
                if state.parts > 0 { state.callers.append(continuation) }
                return (state.waiting, state.parts == 0)
            }
            for part in waiting { part.resume() }
            if isDone { continuation.resume() }
        }
    }
}
