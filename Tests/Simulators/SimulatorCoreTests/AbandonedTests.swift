import EventIO
import HTTPServer
import Primitives
import TestKit
import Testing

@testable import SimulatorCore

@Suite struct `A request whose client goes while it waits` {
    /// A request with two pauses, begun by a client that then goes.
    private func abandon(
        _ reactor: Reactor,
        _ abandonment: Fault.Abandonment,
        _ resumed: @escaping (String) -> Void
    ) async throws {
        let step = SimulatorStep<String>.pause(.seconds(5), "at the door")
        let result = step.result(
            reactor,
            ifAbandoned: { _ in abandonment },
            resume: { pause in
                resumed(pause)
                return pause == "at the door" ? .pause(.seconds(2), "inside") : .answer(SimulatorAnswer(200))
            }
        )
        guard case .later(let handler) = result else {
            Issue.record("it does not wait")
            return
        }
        let task = reactor.startTask { _ = try? await handler() }
        await reactor.nextTurn()
        task.cancel()
        await task.value
    }

    private func pass(_ time: Duration, _ clock: ManualClock, _ reactor: Reactor) async {
        clock.advance(by: time)
        for _ in 0..<3 { await reactor.nextTurn() }
    }

    @Test func `is carried out after its time, and not before`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            var resumed: [String] = []
            try await abandon(reactor, .later) { resumed.append($0) }
            await pass(.seconds(4.9), clock, reactor)
            #expect(resumed.isEmpty)
            await pass(.seconds(0.2), clock, reactor)
            #expect(resumed == ["at the door"])
            await pass(.seconds(1.8), clock, reactor)
            #expect(resumed.count == 1)
            await pass(.seconds(0.3), clock, reactor)
            #expect(resumed == ["at the door", "inside"])
        }
    }

    @Test func `is lost where the fault says so`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            var resumed: [String] = []
            try await abandon(reactor, .never) { resumed.append($0) }
            await pass(.seconds(60), clock, reactor)
            #expect(resumed.isEmpty)
        }
    }

    @Test func `is carried out at once where the fault says so`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            var resumed: [String] = []
            try await abandon(reactor, .atOnce) { resumed.append($0) }
            #expect(resumed == ["at the door", "inside"])
        }
    }
}
