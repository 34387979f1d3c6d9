import EventIO
import Operations
import TestKit
import Testing

@Suite struct `The upkeep of a process` {
    @Test func `does what comes first, then a step of each feature in turn, then what follows the run`() async throws {
        try await withLoop { reactor in
            let jobs = Jobs(drain: .seconds(60))
            let upkeep = Upkeep(isHurried: false)
            var done: [String] = []
            func step(_ name: String, _ count: Int) -> () async -> Bool {
                var left = count
                return {
                    done.append(name)
                    left -= 1
                    return left > 0
                }
            }
            upkeep.add(step("sessions", 3))
            upkeep.addEnding { done.append("end") }
            upkeep.add(step("orders", 2))
            upkeep.addFirst { done.append("partitions") }
            upkeep.start(jobs, on: reactor) { .zero }
            #expect(await waitUntil(reactor) { done.last == "end" })
            #expect(done == ["partitions", "sessions", "orders", "sessions", "orders", "sessions", "end"])
            await jobs.stop()
        }
    }

    @Test func `of all features works for one share of the database's time`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let jobs = Jobs(drain: .seconds(60))
            let upkeep = Upkeep(isHurried: false)
            var worked = Duration.zero
            for _ in 0..<2 {
                upkeep.add {
                    worked += .seconds(1)
                    return true
                }
            }
            upkeep.start(jobs, on: reactor) { worked }
            for _ in 0..<3_000 {
                clock.advance(by: .milliseconds(20))
                await reactor.nextTurn()
            }
            // A minute has passed, and three seconds of work are allowed in one, with the step that uses them up.
            #expect(worked >= .seconds(2) && worked <= .seconds(4), "\(worked)")
            reactor.startTask { await jobs.stop() }
            clock.advance(by: .seconds(60))
            await jobs.nextRuns()
        }
    }
}
