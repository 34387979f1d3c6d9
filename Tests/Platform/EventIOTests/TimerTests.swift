import EventIO
import Primitives
import TestKit
import Testing

@Suite struct `Timers of a loop` {
    @Test func `fire in the order of their points, and of their making where the points are equal`() async throws {
        let order = try await withLoop(clock: ManualClock()) { reactor in
            var order: [Int] = []
            for (index, delay) in [30, 10, 20, 10, 0, 30].enumerated() {
                _ = reactor.schedule(after: .milliseconds(delay)) { order.append(index) }
            }
            try await advance(reactor, .milliseconds(100))
            return order
        }
        #expect(order == [4, 1, 3, 2, 0, 5])
    }

    @Test func `fire no earlier than their point`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            var fired = 0
            _ = reactor.schedule(after: .milliseconds(10)) { fired += 1 }
            try await advance(reactor, .microseconds(9_999))
            #expect(fired == 0)
            try await advance(reactor, .microseconds(1))
            #expect(fired == 1)
            try await advance(reactor, .seconds(10))
            #expect(fired == 1)
            #expect(reactor.timerCount == 0)
        }
    }

    @Test func `are silent once cancelled, also by an earlier one of the same turn`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            var fired: [String] = []
            let first = reactor.schedule(after: .milliseconds(1)) { fired.append("first") }
            reactor.cancel(first)
            let later = reactor.schedule(after: .milliseconds(3)) { fired.append("later") }
            _ = reactor.schedule(after: .milliseconds(2)) {
                fired.append("canceller")
                reactor.cancel(later)
            }
            try await advance(reactor, .milliseconds(10))
            #expect(fired == ["canceller"])
            #expect(reactor.timerCount == 0)
        }
    }

    @Test func `that were cancelled do not touch whoever took their place`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            var fired: [String] = []
            let old = reactor.schedule(after: .milliseconds(1)) { fired.append("old") }
            reactor.cancel(old)
            _ = reactor.schedule(after: .milliseconds(2)) { fired.append("new") }
            reactor.cancel(old)
            reactor.arm(old, after: .zero)
            reactor.disarm(old)
            try await advance(reactor, .milliseconds(5))
            #expect(fired == ["new"])
        }
    }

    @Test func `can be moved later and earlier, stopped and armed again`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            var fired = 0
            let timer = reactor.makeTimer { fired += 1 }
            try await advance(reactor, .seconds(1))
            #expect(fired == 0)
            reactor.arm(timer, after: .seconds(10))
            for _ in 0..<5 {
                try await advance(reactor, .seconds(9))
                reactor.arm(timer, after: .seconds(10))
            }
            #expect(fired == 0)
            reactor.arm(timer, after: .seconds(1))
            try await advance(reactor, .seconds(1))
            #expect(fired == 1)
            reactor.arm(timer, after: .seconds(1))
            reactor.disarm(timer)
            try await advance(reactor, .seconds(5))
            #expect(fired == 1)
            reactor.arm(timer, after: .seconds(1))
            try await advance(reactor, .seconds(1))
            #expect(fired == 2)
            #expect(reactor.timerCount == 1)
            reactor.cancel(timer)
            #expect(reactor.timerCount == 0)
        }
    }

    @Test func `that arm themselves at once leave room for events`() async throws {
        try await withLoop { reactor in
            var count = 0
            func again() {
                count += 1
                _ = reactor.schedule(after: .zero) { again() }
            }
            again()
            let pair = try await ConnectedPair(reactor)
            try pair.client.send("x")
            _ = await pair.server.readable()
            #expect(count > 1)
        }
    }

    @Test func `agree with a plain list over many random steps`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            let random = SeededRandom(seed: 7)
            var fired: [Int] = []
            var expected: [Int: Int] = [:]
            var timers: [Int: TimerID] = [:]
            var present = 0
            for step in 0..<3_000 {
                switch random.below(4) {
                case 0, 1:
                    let delay = random.below(1_000)
                    expected[step] = present + delay
                    timers[step] = reactor.schedule(after: .milliseconds(delay)) { fired.append(step) }
                case 2:
                    guard let victim = expected.keys.sorted().dropFirst(random.below(5)).first else { continue }
                    expected[victim] = nil
                    if let timer = timers[victim] { reactor.cancel(timer) }
                default:
                    let distance = random.below(50)
                    present += distance
                    fired = []
                    try await advance(reactor, .milliseconds(distance))
                    let due = expected.filter { $0.value <= present }
                    #expect(fired == due.keys.sorted { (due[$0] ?? 0, $0) < (due[$1] ?? 0, $1) })
                    for step in due.keys { expected[step] = nil }
                }
            }
        }
    }

    @Test func `wake a waiting loop by themselves on the real clock`() async throws {
        let elapsed = try await withLoop { reactor in
            // A delay counts from the loop's own time, which stands still within a turn.
            let start = reactor.now
            await reactor.sleep(for: .milliseconds(3))
            return reactor.now - start
        }
        #expect(elapsed >= .milliseconds(3))
    }

    @Test func `end a wait early when its task is cancelled`() async throws {
        try await withLoop(clock: ManualClock()) { reactor in
            var ended = false
            let task = reactor.startTask {
                await reactor.sleep(for: .seconds(3600))
                ended = true
            }
            await reactor.nextTurn()
            #expect(!ended)
            task.cancel()
            await task.value
            #expect(ended)
            #expect(reactor.timerCount == 0)
        }
    }
}

/// Moves the loop's clock and waits until the timers that are due have run.
private func advance(_ reactor: Reactor, _ duration: Duration) async throws {
    let clock = try #require(reactor.clock as? ManualClock)
    clock.advance(by: duration, waking: reactor.executor)
    await reactor.nextTurn()
    await reactor.nextTurn()
}
