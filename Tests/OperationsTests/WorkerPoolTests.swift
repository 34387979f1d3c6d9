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
}

@Suite struct `A job` {
    @Test func `runs again after its pause, and whoever waits gets a run that begins later`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let jobs = Jobs(drain: .seconds(60))
            var runs = 0
            jobs.every(.seconds(10), budget: .seconds(1), on: reactor) { budget in
                runs += 1
                #expect(!budget.isSpent)
                clock.advance(by: .seconds(1))
                await reactor.nextTurn()
                #expect(budget.isSpent)
            }
            while runs == 0 { await reactor.nextTurn() }
            for _ in 0..<20 { await reactor.nextTurn() }
            #expect(runs == 1)
            var isOver = false
            reactor.startTask {
                await jobs.nextRuns()
                isOver = true
            }
            for _ in 0..<20 { await reactor.nextTurn() }
            #expect(!isOver)
            clock.advance(by: .seconds(10))
            #expect(await waitUntil(reactor) { isOver })
            #expect(runs == 2)
            reactor.startTask { await jobs.stop() }
            clock.advance(by: .seconds(10))
            await jobs.nextRuns()
            #expect(runs == 2)
        }
    }

    @Test func `that is stopped begins no further step, and its end is waited for`() async throws {
        try await withLoop { reactor in
            var steps = 0
            var hasEnded = false
            var isBusy = false
            let jobs = Jobs(drain: .seconds(60))
            jobs.every(.seconds(3_600), budget: .seconds(3_600), on: reactor) { budget in
                while !budget.isSpent {
                    steps += 1
                    isBusy = true
                    for _ in 0..<20 { await reactor.nextTurn() }
                }
                hasEnded = true
            }
            while !isBusy { await reactor.nextTurn() }
            let before = steps
            await jobs.stop()
            #expect(hasEnded)
            #expect(steps == before)
        }
    }
}
