package import EventIO

/// Does something with every item, several at a time, on the loop of the caller.
///
/// - Returns: The outputs in the order of the items.
/// - Throws: The first error, after everything that was begun has ended.
package func inParallel<Item, Output>(
    _ reactor: Reactor,
    _ items: [Item],
    atMost limit: Int = .max,
    _ body: @escaping (Item) async throws -> Output
) async throws -> [Output] {
    guard !items.isEmpty else { return [] }
    let work = ParallelWork<Output>(count: items.count, workers: min(limit, items.count))
    await suspend { (suspension: Suspension<Void>) in
        work.suspension = suspension
        for _ in 0..<work.running {
            reactor.startTask {
                while let index = work.next() {
                    do {
                        work.outputs[index] = try await body(items[index])
                    } catch {
                        work.failure = work.failure ?? error
                    }
                }
                work.end()
            }
        }
    }
    if let failure = work.failure { throw failure }
    return work.outputs.compactMap(\.self)
}

/// What the tasks of one call share; all on one loop.
private final class ParallelWork<Output> {
    var outputs: [Output?]
    var failure: (any Error)?
    var running: Int
    var suspension: Suspension<Void>?
    private var begun = 0

    init(count: Int, workers: Int) {
        outputs = Array(repeating: nil, count: count)
        running = workers
    }

    func next() -> Int? {
        guard begun < outputs.count, failure == nil else { return nil }
        defer { begun += 1 }
        return begun
    }

    func end() {
        running -= 1
        if running == 0 { suspension?.resume() }
    }
}
