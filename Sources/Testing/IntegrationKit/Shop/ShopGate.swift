import Primitives

/// Lets a few shops exist at once, however many tests run in parallel: each has threads and database connections.
actor ShopGate {
    static let shared = ShopGate(places: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        free = places
    }

    nonisolated func pass<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        await enter()
        do {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// What is to be ended, the latest first.
final class Teardown: Sendable {
    private let actions = Lock<[@Sendable () async -> Void]>([])

    func add(_ action: @escaping @Sendable () async -> Void) {
        actions.withLock { $0.append(action) }
    }

    func run() async {
        while let action = actions.withLock({ $0.popLast() }) { await action() }
    }
}
