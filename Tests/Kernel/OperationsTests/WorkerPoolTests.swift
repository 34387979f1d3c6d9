import EventIO
import Primitives
import TestKit
import Testing

@testable import Operations

@Suite struct `A pool of workers` {
    /// What a run did.
    private final class Record {
        var running = 0
        var greatest = 0
        var done: [Int] = []
        var demands: [Int] = []
    }

    private struct Gone: Error {}

    @Test func `does several at once, no more than its width, and all that is claimed`() async throws {
        try await withLoop { reactor in
            let record = Record()
            var left = Array(0..<20)
            await WorkerPool(reactor, width: 4).run(
                .unlimited,
                claim: { limit in
                    record.demands.append(limit)
                    defer { left.removeFirst(min(limit, left.count)) }
                    return Array(left.prefix(limit))
                },
                { number in
                    record.running += 1
                    record.greatest = max(record.greatest, record.running)
                    for _ in 0..<(number % 3 + 1) { await reactor.nextTurn() }
                    record.running -= 1
                    record.done.append(number)
                    return true
                }
            )
            #expect(record.greatest == 4)
            #expect(record.done.sorted() == Array(0..<20))
            #expect(record.running == 0)
            #expect(record.demands.allSatisfy { (2...4).contains($0) }, "\(record.demands)")
        }
    }

    @Test func `claims nothing more when its budget is spent or the others would fare no better`() async throws {
        try await withLoop { reactor in
            let record = Record()
            let pool = WorkerPool(reactor, width: 3)
            await pool.run(
                RunBudget { !record.demands.isEmpty },
                claim: { limit in
                    record.demands.append(limit)
                    return Array(0..<limit)
                },
                { number in
                    record.done.append(number)
                    return true
                }
            )
            #expect((record.demands, record.done.count) == ([3], 3))
            await pool.run(
                .unlimited,
                claim: { limit in
                    record.demands.append(limit)
                    return Array(0..<limit)
                },
                { _ in false }
            )
            #expect(record.demands == [3, 3])
        }
    }

    @Test func `says why a claim failed when what was claimed before has ended`() async throws {
        try await withLoop { reactor in
            let record = Record()
            await #expect(throws: Gone.self) {
                try await WorkerPool(reactor, width: 2).run(
                    .unlimited,
                    claim: { (limit) async throws(Gone) in
                        record.demands.append(limit)
                        guard record.demands.count == 1 else { throw Gone() }
                        return Array(0..<limit)
                    },
                    { number in
                        for _ in 0..<(5 * number) { await reactor.nextTurn() }
                        record.done.append(number)
                        return true
                    }
                )
            }
            #expect(record.done == [0, 1])
        }
    }

    @Test func `is not waited for where the last body ended between the call and the wait`() async throws {
        try await withLoop { reactor in
            let pool = WorkerPool(reactor, width: 2)
            var looks = 0
            var isOver = false
            reactor.startTask {
                await pool.wait {
                    looks += 1
                    return looks > 1
                }
                isOver = true
            }
            #expect(await waitUntil(reactor) { isOver })
        }
    }
}
