import Primitives

/// A body took longer than a test allows.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What the test allowed.
    package let deadline: Duration

    package var description: String { "nothing after \(deadline)" }
}

/// Runs a body and gives up on it after a while, so that a hang fails one test instead of stopping all.
///
/// - Parameters:
///   - deadline: Generous; it is reached only by a fault.
///   - body: Cancelled at the deadline, and left behind when it does not end then.
/// - Throws: What the body throws, or `DeadlineExceeded`.
package func withDeadline<Result: Sendable>(
    _ deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let first = FirstAnswer<Result>()
    let work = Task(name: "body") { @concurrent in
        do {
            let result = try await body()
            first.give(.success(result))
        } catch {
            first.give(.failure(error))
        }
    }
    let watch = Task(name: "deadline") { @concurrent in
        try await Task.sleep(for: deadline)
        first.give(.failure(DeadlineExceeded(deadline: deadline)))
    }
    defer {
        work.cancel()
        watch.cancel()
    }
    return try await withTaskCancellationHandler {
        try await first.wait()
    } onCancel: {
        work.cancel()
    }
}

/// Hands the first of several answers to one waiter.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case answered(Result<Value, any Error>)
        case over
    }

    private let state = Lock(State.open)

    func give(_ answer: Result<Value, any Error>) {
        let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .answered(answer)
                return nil
            case .waiting(let waiter):
                state = .over
                return waiter
            case .answered, .over:
                return nil
            }
        }
        waiter?.resume(with: answer)
    }

    func wait() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Result<Value, any Error>? = state.withLock { state in
                guard case .answered(let answer) = state else {
                    state = .waiting(continuation)
                    return nil
                }
                state = .over
                return answer
            }
            if let answer { continuation.resume(with: answer) }
        }
    }
}
