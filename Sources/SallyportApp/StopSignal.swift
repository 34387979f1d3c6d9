import EventIO
import Synchronization

/// Lets every loop give back what it holds when the program stops, and tells when all have.
///
/// What is to be given back lives on its loop and never leaves it; so the loop itself waits here and does the work.
final class StopSignal: Sendable {
    private struct State {
        var isStopping = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var busy = 0
        var finished: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs a body on the present loop when the program stops.
    ///
    /// - Parameters:
    ///   - reactor: The loop's.
    ///   - body: Gives back what the loop holds.
    func onStop(_ reactor: Reactor, _ body: @escaping () async -> Void) {
        state.withLock { $0.busy += 1 }
        reactor.startTask { [self] in
            await wait()
            await body()
            end()
        }
    }

    /// Tells every loop, and waits until each has given back what it holds.
    func stop() async {
        let waiting = state.withLock { state in
            state.isStopping = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.busy > 0 { state.finished.append(continuation) }
                return state.busy == 0
            }
            if isDone { continuation.resume() }
        }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isStopping = state.withLock { state in
                if !state.isStopping { state.waiting.append(continuation) }
                return state.isStopping
            }
            if isStopping { continuation.resume() }
        }
    }

    private func end() {
        let finished = state.withLock { state in
            state.busy -= 1
            guard state.busy == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.finished = [] }
            return state.finished
        }
        for continuation in finished { continuation.resume() }
    }
}
