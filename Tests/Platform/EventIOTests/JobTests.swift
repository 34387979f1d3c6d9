import EventIO
import Glibc
import Telemetry
import TestKit
import Testing

@Suite struct `Jobs of a loop` {
    @Test func `one after the other share one task`() async throws {
        try await withLoop { reactor in
            let job = CountingJob()
            for number in 1...100 {
                reactor.start(job)
                await reactor.nextTurn()
                #expect(job.count == number)
            }
            #expect(reactor.jobTaskCount == 1)
            #expect(job.threads == [UInt(pthread_self())])
        }
    }

    @Test func `that wait have a task each, and a bounded number of tasks is kept`() async throws {
        try await withLoop { reactor in
            let jobs = (0..<400).map { _ in WaitingJob(reactor) }
            for job in jobs { reactor.start(job) }
            #expect(await waitUntil(reactor) { jobs.allSatisfy { $0.isWaiting } })
            #expect(reactor.jobTaskCount == 400)
            for job in jobs { job.goOn() }
            #expect(await waitUntil(reactor) { jobs.allSatisfy { $0.hasEnded } })
            await reactor.nextTurn()
            #expect(reactor.jobTaskCount == 256)
        }
    }

    @Test func `begin in the turn in which they are started, after the starter`() async throws {
        try await withLoop { reactor in
            let observer = JobObserver()
            reactor.addTurnObserver(observer)
            // The first start makes the task, the second one finds it.
            for _ in 0..<2 {
                await reactor.nextTurn()
                observer.log = []
                reactor.start(BodyJob { observer.log.append("job") })
                observer.log.append("started")
                await reactor.nextTurn()
                #expect(observer.log == ["started", "job", "end"])
            }
        }
    }

    @Test func `are resumed once for each suspension`() async throws {
        try await withLoop { reactor in
            var jobs: [UInt64] = []
            for _ in 0..<2 {
                let before = reactor.executor.jobCount
                var hasEnded = false
                reactor.start(
                    BodyJob {
                        for _ in 0..<50 { await suspend { $0.resume() } }
                        hasEnded = true
                    }
                )
                while !hasEnded { await reactor.nextTurn() }
                jobs.append(reactor.executor.jobCount - before)
            }
            // One for the start, one for the turn that this test waits.
            #expect(jobs[0] <= 53)
            #expect(jobs[1] <= 52)
        }
    }

    @Test func `hear of their own cancellation and of no other`() async throws {
        try await withLoop { reactor in
            let first = WaitingJob(reactor)
            let run = reactor.start(first)
            #expect(await waitUntil(reactor) { first.isWaiting })
            run.cancel()
            #expect(await waitUntil(reactor) { first.cancellations == 1 })
            first.goOn()
            #expect(await waitUntil(reactor) { first.hasEnded })
            #expect(first.endedCancelled)

            let second = WaitingJob(reactor)
            reactor.start(second)
            #expect(await waitUntil(reactor) { second.isWaiting })
            run.cancel()
            await reactor.nextTurn()
            #expect(second.cancellations == 0)
            second.goOn()
            #expect(await waitUntil(reactor) { second.hasEnded })
            #expect(!second.endedCancelled)
            #expect(reactor.jobTaskCount == 1, "the cancelled task is gone")
        }
    }

    @Test func `are not hit by the cancellation of an earlier run of the same task`() async throws {
        try await withLoop { reactor in
            let ended = reactor.start(CountingJob())
            await reactor.nextTurn()
            let job = WaitingJob(reactor)
            reactor.start(job)
            #expect(await waitUntil(reactor) { job.isWaiting })
            #expect(reactor.jobTaskCount == 1)
            ended.cancel()
            await reactor.nextTurn()
            #expect(job.cancellations == 0)
            job.goOn()
            #expect(await waitUntil(reactor) { job.hasEnded })
            #expect(!job.endedCancelled)
        }
    }

    @Test func `cancelled before they begin, begin cancelled`() async throws {
        try await withLoop { reactor in
            reactor.start(CountingJob())
            await reactor.nextTurn()
            var wasCancelled: Bool?
            reactor.start(BodyJob { wasCancelled = Task.isCancelled }).cancel()
            await reactor.nextTurn()
            #expect(wasCancelled == true)
        }
    }

    @Test func `are let go of when they end, and their tasks with the loop`() async throws {
        weak var loop: EventLoop?
        do {
            let strong = try EventLoop(name: "jobs", logger: .silent)
            loop = strong
            try strong.start()
            let isGone = try await withDeadline {
                try await strong.run { reactor in
                    weak var job: CountingJob?
                    do {
                        let strong = CountingJob()
                        job = strong
                        reactor.start(strong)
                    }
                    await reactor.nextTurn()
                    return job == nil
                }
            }
            #expect(isGone)
            strong.stop()
            strong.join()
        }
        // The task that has waited for the body holds the loop, too, and may end after its answer has come.
        let patience = Patience()
        while loop != nil, patience.isLeft { await Task.yield() }
        #expect(loop == nil, "a task that waits for a job holds its loop")
    }
}

private final class CountingJob: LoopJob {
    private(set) var count = 0
    private(set) var threads: Set<UInt> = []

    func run() async {
        count += 1
        threads.insert(UInt(pthread_self()))
    }
}

private final class BodyJob: LoopJob {
    private let body: () async -> Void

    init(_ body: @escaping () async -> Void) {
        self.body = body
    }

    func run() async {
        await body()
    }
}

private final class WaitingJob: LoopJob {
    private let reactor: Reactor
    private var suspension: Suspension<Void>?
    private(set) var cancellations = 0
    private(set) var hasEnded = false
    private(set) var endedCancelled = false

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    var isWaiting: Bool { suspension != nil }

    func run() async {
        await reactor.suspend {
            suspension = $0
        } onCancel: {
            self.cancellations += 1
        }
        endedCancelled = Task.isCancelled
        hasEnded = true
    }

    func goOn() {
        suspension?.resume()
        suspension = nil
    }
}

private final class JobObserver: TurnObserver {
    var log: [String] = []

    func turnWillEnd() {
        log.append("end")
    }
}
