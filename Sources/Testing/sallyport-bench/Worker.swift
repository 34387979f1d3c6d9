import EventIO

/// One task of several on a loop, whose end can be waited for.
final class Worker {
    private var result: Result<Void, any Error>?
    private var waiting: Suspension<Void>?

    init(_ reactor: Reactor, _ body: @escaping () async throws -> Void) {
        reactor.startTask { await self.run(body) }
    }

    private func run(_ body: () async throws -> Void) async {
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        waiting?.resume()
    }

    /// Waits for the task.
    func end() async throws {
        await suspend { caller in
            if result == nil { waiting = caller } else { caller.resume() }
        }
        try result?.get()
    }
}
