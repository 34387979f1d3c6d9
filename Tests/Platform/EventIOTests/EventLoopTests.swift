import EventIO
import Glibc
import Primitives
import Telemetry
import TestKit
import Testing

@Suite struct `A loop and other threads` {
    @Test func `bodies from many threads run in the order of each thread, all on the loop`() async throws {
        let loop = try EventLoop(name: "arrivals", logger: .silent)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        let log = Recorder<(sender: Int, number: Int, thread: UInt)>()
        try await withDeadline {
            await withTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask { @concurrent in
                        for number in 0..<500 {
                            loop.execute { _ in
                                log.record((sender, number, UInt(pthread_self())))
                            }
                        }
                    }
                }
            }
            // Queued behind all of them.
            try await loop.run { _ in }
        }
        let entries = log.values
        #expect(entries.count == 2_000)
        #expect(Set(entries.map(\.thread)).count == 1)
        for sender in 0..<4 {
            #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<500))
        }
    }

    @Test func `what was sent before the start runs after it`() async throws {
        let loop = try EventLoop(name: "early", logger: .silent)
        let ran = Recorder<Bool>()
        loop.execute { _ in ran.record(true) }
        #expect(ran.values == [])
        try loop.start()
        try await withDeadline { try await loop.run { _ in } }
        #expect(ran.values == [true])
        loop.stop()
        loop.join()
        loop.join()
    }

    @Test func `a body's error and a cancellation pass through`() async throws {
        await #expect(throws: IOError(code: IOError.timedOut, operation: "test")) {
            try await withLoop { _ in throw IOError(code: IOError.timedOut, operation: "test") }
        }
        let loop = try EventLoop(name: "cancel", logger: .silent)
        try loop.start()
        let task = Task {
            try await loop.run { reactor in
                await reactor.sleep(for: .seconds(3600))
                return Task.isCancelled
            }
        }
        task.cancel()
        let wasCancelled = try await withDeadline { try await task.value }
        #expect(wasCancelled)
        loop.stop()
        loop.join()
    }

    @Test func `two loops know their own threads`() async throws {
        let first = try EventLoop(name: "first", logger: .silent)
        let second = try EventLoop(name: "second", logger: .silent)
        try first.start()
        try second.start()
        let crossed = try await withDeadline {
            try await first.run { reactor in
                let here = reactor.executor.isCurrent
                let there = try await second.run { other in
                    (other.executor.isCurrent, first.executor.isCurrent)
                }
                return (here, there.0, there.1, reactor.executor.isCurrent)
            }
        }
        #expect(crossed == (true, true, false, true))
        for loop in [first, second] {
            loop.stop()
            loop.join()
        }
    }

    @Test func `is one thread with the loop's name`() async throws {
        let loop = try EventLoop(name: "one-thread-only", logger: .silent)
        try loop.start()
        let names = try await withDeadline {
            try await loop.run { reactor in
                for _ in 0..<20 {
                    async let child: Void = Task.yield()
                    await child
                }
                return try Machine.threadNames()
            }
        }
        #expect(names.filter { $0 == "one-thread-only" }.count == 1)
        loop.stop()
        loop.join()
        // The kernel says that a thread has ended a moment before it takes it off the list.
        try await withLoop { reactor in
            #expect(await waitUntil(reactor) { (try? Machine.threadNames().contains("one-thread-only")) == false })
        }
    }
}

@Suite struct `A turn of a loop` {
    @Test func `ends with its observers, after every job, each once`() async throws {
        try await withLoop { reactor in
            let observer = Observer()
            reactor.addTurnObserver(observer)
            await reactor.nextTurn()
            observer.log = []
            // A chain of jobs in one turn: the observer hears of its end only.
            reactor.startTask {
                for step in 0..<3 {
                    observer.log.append("job \(step)")
                    await Task.yield()
                }
            }
            await reactor.nextTurn()
            #expect(observer.log == ["job 0", "job 1", "job 2", "end"])
        }
    }

    @Test func `releases what cancels a timer of its own when it goes`() async throws {
        let (gone, isGone) = AsyncStream<Void>.makeStream()
        let loop = try EventLoop(name: "test", logger: .silent)
        try loop.start()
        try await loop.run { reactor in
            let owner = TimerOwner(reactor, isGone)
            _ = reactor.schedule(after: .seconds(3_600)) { owner.keep() }
        }
        loop.stop()
        loop.join()
        for await _ in gone {}
    }

    @Test func `gives events their chance while jobs yield for ever`() async throws {
        try await withLoop { reactor in
            let task = reactor.startTask {
                while !Task.isCancelled { await Task.yield() }
            }
            let pair = try await ConnectedPair(reactor)
            try pair.client.send("x")
            _ = await pair.server.readable()
            task.cancel()
            await task.value
        }
    }

    @Test func `is counted, and counted as slow above five milliseconds`() async throws {
        let metrics = MetricsRegistry()
        let clock = ManualClock()
        try await withLoop(clock: clock, metrics: metrics) { reactor in
            await reactor.nextTurn()
            clock.advance(by: .microseconds(5_001))
            await reactor.nextTurn()
            await reactor.nextTurn()
        }
        let text = metrics.prometheusText()
        #expect(text.contains(#"sallyport_loop_slow_turns_total{loop="test"} 1"#))
        #expect(!text.contains(#"sallyport_loop_turns_total{loop="test"} 0"#))
    }

    @Test func `above fifty milliseconds is written down, one line a second at most`() async throws {
        let (clock, lines) = (ManualClock(), Recorder<String>())
        let logger = Logger(level: .info, clock: clock) { lines.record(String(decoding: $0, as: UTF8.self)) }
        let loop = try EventLoop(name: "slow", logger: logger, clock: clock)
        try loop.start()
        try await withDeadline {
            try await loop.run { reactor in
                for pause in [Duration.milliseconds(6), .milliseconds(60), .milliseconds(70), .seconds(1)] {
                    await reactor.nextTurn()
                    clock.advance(by: pause)
                }
                await reactor.nextTurn()
                await reactor.nextTurn()
            }
        }
        loop.stop()
        loop.join()
        let slow = lines.values.filter { $0.contains("loop.slow_turn") }
        #expect(slow.count == 2)
        #expect(slow.first?.contains(#""duration_ms":60,"turns":1"#) == true)
        #expect(slow.last?.contains(#""duration_ms":1000,"turns":2"#) == true)
    }

    @Test func `has one time from start to end`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let (wall, monotonic) = (reactor.wallNow, reactor.now)
            clock.advance(by: .seconds(2))
            #expect(reactor.wallNow == wall)
            #expect(reactor.now == monotonic)
            await reactor.nextTurn()
            #expect(reactor.wallNow == wall + Duration.seconds(2))
            #expect(reactor.now - monotonic == .seconds(2))
        }
    }
}

@Suite struct `Suspended tasks` {
    @Test func `hear about cancellation through their owner, once, and not after they went on`() async throws {
        try await withLoop { reactor in
            var log: [String] = []
            let task = reactor.startTask {
                var held: Suspension<Int>?
                let number = await reactor.suspend {
                    held = $0
                } onCancel: {
                    log.append("cancelled")
                    held?.resume(7)
                }
                log.append("resumed \(number)")
                let second: Int = await reactor.suspend {
                    $0.resume(8)
                } onCancel: {
                    log.append("at once")
                }
                log.append("resumed \(second)")
            }
            await reactor.nextTurn()
            task.cancel()
            await task.value
            for _ in 0..<3 { await reactor.nextTurn() }
            #expect(log == ["cancelled", "resumed 7", "resumed 8"])
        }
    }
}

private final class Observer: TurnObserver {
    var log: [String] = []

    func turnWillEnd() {
        log.append("end")
    }
}

/// Has a timer, which ends with it.
private final class TimerOwner {
    private let reactor: Reactor
    private let timer: TimerID
    private let end: AsyncStream<Void>.Continuation

    init(_ reactor: Reactor, _ end: AsyncStream<Void>.Continuation) {
        self.reactor = reactor
        self.end = end
        timer = reactor.makeTimer {}
    }

    deinit {
        reactor.cancel(timer)
        end.finish()
    }

    func keep() {}
}
