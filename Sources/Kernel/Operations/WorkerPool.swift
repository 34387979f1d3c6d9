package import EventIO
import Primitives

/// Runs bodies of one loop side by side, a bounded number at a time.
package final class WorkerPool {
    private let reactor: Reactor
    /// How many run at a time.
    package let width: Int
    private var underWay = 0
    private var waiter: Suspension<Void>?

    /// An idle pool.
    ///
    /// - Parameters:
    ///   - width: How many run at a time, one or more.
    package init(_ reactor: Reactor, width: Int) {
        self.reactor = reactor
        self.width = max(1, width)
    }

    /// Claims work and does it until a claim brings less than was asked for; returns when all of it has ended.
    ///
    /// - Parameters:
    ///   - budget: Looked at before each claim; what was claimed is done.
    ///   - claim: Takes so many at most.
    ///   - body: Does one; false where the others would fare no better, so that no more are claimed.
    /// - Throws: What a claim throws, after all that was claimed before has ended.
    package func run<Item, Failure: Error>(
        _ budget: RunBudget,
        claim: (Int) async throws(Failure) -> [Item],
        _ body: @escaping (Item) async -> Bool
    ) async throws(Failure) {
        var goesOn = true
        var failure: Failure?
        func work(_ item: Item) {
            start { if await !body(item) { goesOn = false } }
        }
        while goesOn, !budget.isSpent {
            let free = width - underWay
            do throws(Failure) {
                let items = try await claim(free)
                for item in items { work(item) }
                if items.count < free { goesOn = false }
            } catch {
                failure = error
                goesOn = false
            }
            // One claim for several, not one for each that ends.
            if goesOn { await room(for: (width + 1) / 2) }
        }
        await room(for: width)
        if let failure { throw failure }
    }

    /// Runs bodies side by side, whatever the width is, and returns when all have ended.
    package func all(_ bodies: [() async -> Void]) async {
        for body in bodies { start(body) }
        await wait { underWay == 0 }
    }

    /// Returns when all have ended.
    package func finish() async {
        await room(for: width)
    }

    private func room(for count: Int) async {
        await wait { width - underWay >= count }
    }

    /// Returns when a condition holds, which the end of a body may bring about; one task at a time.
    package func wait(until isDone: () -> Bool) async {
        while !isDone() {
            await suspend { suspension in
                guard !isDone() else { return suspension.resume() }
                precondition(waiter == nil, "one at a time waits for a pool")
                waiter = suspension
            }
        }
    }

    /// Starts a body; the caller keeps to the width.
    package func start(_ body: @escaping () async -> Void) {
        underWay += 1
        reactor.startTask {
            await body()
            self.underWay -= 1
            let waiter = self.waiter
            self.waiter = nil
            waiter?.resume()
        }
    }
}
