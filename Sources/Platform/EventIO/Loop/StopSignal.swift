import Primitives

/// Stops parts that live on several loops; its callers wait until all have stopped.
///
/// What a part holds lives on its loop and never leaves it; so a task of that loop waits here and gives it back itself.
package final class StopSignal: Sendable {
    private struct State {
        var isStopping = false
        var parts = 0
        /// Parts that wait for the stop to begin.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Callers that wait for the last part to end.
        var callers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// A signal without parts.
    package init() {}

    /// Counts a part in.
    ///
    /// - Returns: False, and nothing is counted, after the stop has begun.
    package func addPart() -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.parts += 1
            return true
        }
    }

    /// Waits until the stop begins.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !state.isStopping { state.waiting.append(continuation) }
                return state.isStopping
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Counts a part out.
    package func partEnded() {
        let callers = state.withLock { state in
            state.parts -= 1
            guard state.isStopping, state.parts == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.callers = [] }
            return state.callers
        }
        for caller in callers { caller.resume() }
    }

    /// Begins the stop and waits until the last part has ended; a second call waits for the same end.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let (waiting, isDone) = state.withLock { state in
                state.isStopping = true
                defer { state.waiting = [] }
                if state.parts > 0 { state.callers.append(continuation) }
                return (state.waiting, state.parts == 0)
            }
            for part in waiting { part.resume() }
            if isDone { continuation.resume() }
        }
    }
}

extension Reactor {
    /// Runs a body on this loop when a signal stops, as one of its parts.
    ///
    /// - Returns: False, and nothing happens, after the stop has begun.
    @discardableResult package func onStop(_ signal: StopSignal, _ body: @escaping () async -> Void) -> Bool {
        guard signal.addPart() else { return false }
        startTask {
            await signal.wait()
            await body()
            signal.partEnded()
        }
        return true
    }
}
