import EventIO
import Operations
import Telemetry
import TestKit
import Testing

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

    @Test func `that is woken runs before its time, and once more where it was running`() async throws {
        try await withLoop { reactor in
            let jobs = Jobs(drain: .seconds(60))
            var runs = 0
            var isHeld = false
            let alarm = jobs.every(.seconds(3_600), budget: .seconds(3_600), on: reactor) { _ in
                runs += 1
                while isHeld { await reactor.nextTurn() }
            }
            #expect(await waitUntil(reactor) { runs == 1 })
            for _ in 0..<20 { await reactor.nextTurn() }
            #expect(runs == 1)
            isHeld = true
            alarm.wake()
            #expect(await waitUntil(reactor) { runs == 2 })
            for _ in 0..<3 { alarm.wake() }
            isHeld = false
            #expect(await waitUntil(reactor) { runs == 3 })
            for _ in 0..<20 { await reactor.nextTurn() }
            #expect(runs == 3)
            await jobs.stop()
            alarm.wake()
            await jobs.nextRuns()
            #expect(runs == 3)
        }
    }

    @Test func `that is woken as its run ends runs again, whenever that is`() async throws {
        try await withLoop { reactor in
            for pause in 0..<12 {
                let jobs = Jobs(drain: .seconds(60))
                var runs = 0
                var alarm: JobAlarm?
                alarm = jobs.every(.seconds(3_600), budget: .seconds(3_600), on: reactor) { _ in
                    await reactor.nextTurn()
                    runs += 1
                    guard runs == 1 else { return }
                    reactor.startTask {
                        for _ in 0..<pause { await Task.yield() }
                        alarm?.wake()
                    }
                }
                #expect(await waitUntil(reactor) { runs == 2 }, "woken after \(pause) jobs")
                await jobs.stop()
            }
        }
    }

    @Test func `of a stop is waited for where nobody else does, for as long as a stop may take`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let (jobs, end) = (Jobs(drain: .seconds(60)), StopSignal())
            let schedule = JobSchedule(jobs, on: reactor, nil, end: end, logger: .silent)
            var isDone = false
            schedule.finish { isDone }
            schedule.finish { false }
            var stops = 0
            reactor.startTask {
                await jobs.stop()
                await end.stop()
                stops += 1
            }
            for _ in 0..<20 { await reactor.nextTurn() }
            isDone = true
            clock.advance(by: .seconds(59))
            for _ in 0..<20 { await reactor.nextTurn() }
            #expect(stops == 0)
            clock.advance(by: .seconds(2))
            #expect(await waitUntil(reactor) { stops == 1 })
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

    @Test func `of a schedule runs isolated to its loop, where a resumption is one job`() async throws {
        try await withLoop { reactor in
            let jobs = Jobs(drain: .seconds(60))
            let logger = Logger(level: .error, clock: ManualClock()) { _ in }
            let schedule = JobSchedule(jobs, on: reactor, nil, end: StopSignal(), logger: logger)
            var isolations: [Bool] = []
            schedule.every(.seconds(3_600), budget: .seconds(1), on: .eachLoop, "look") { _ in
                let isolation: (any Actor)? = #isolation
                isolations.append(isolation != nil)
            }
            #expect(await waitUntil(reactor) { !isolations.isEmpty })
            #expect(isolations == [true])
            await jobs.stop()
        }
    }
}
