package import EventIO

/// Brings work to its end although nobody waits for it any more; one per loop.
///
/// For handlers of several steps of which the first takes something that the last gives back: a lease, a placement.
package final class CancellationShield {
    private let reactor: Reactor
    private var unfinished = 0

    /// Nothing under way.
    package init(on reactor: Reactor) {
        self.reactor = reactor
    }

    /// Whether nothing is under way; a stop waits for it.
    package var isIdle: Bool { unfinished == 0 }

    /// Runs a body in a task of its own, which neither the client that hangs up nor the handler's deadline cancels.
    package func runToCompletion<Value, Refusal: Error>(
        _ body: @escaping () async throws(Refusal) -> Value
    ) async throws(Refusal) -> Value {
        let result: Result<Value, Refusal> = await suspend { (suspension: Suspension<Result<Value, Refusal>>) in
            unfinished += 1
            reactor.startTask {
                do throws(Refusal) {
                    suspension.resume(.success(try await body()))
                } catch {
                    suspension.resume(.failure(error))
                }
                self.unfinished -= 1
            }
        }
        return try result.get()
    }
}
