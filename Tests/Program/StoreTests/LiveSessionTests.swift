import Checkout
import EventIO
import Primitives
import SessionBroker
import Testing

@Suite("Live sessions")
struct LiveSessionTests {
    @Test func `are those that can still be opened or used`() async throws {
        try await withRig { rig in
            let live: [WebviewSessionState] = [.issued, .opened, .reviewed, .placed, .declined]
            let others: [WebviewSessionState] = [.purchasing, .authorized, .revoked, .expired, .canceled]
            for state in live + others { _ = try await rig.webviewSession(in: state) }
            #expect(try await rig.countLive() == 5)
            // Nobody has opened it in time, and its row still says that it was issued.
            try rig.age(try await rig.issued(), seconds: 301)
            // A buyer who went away.
            try rig.age(try await rig.opened(), seconds: 1_801)
            #expect(try await rig.countLive() == 5)
        }
    }

    @Test func `are read by ranges of ids, so many at a time`() async throws {
        try await withRig { rig in
            var webviewSessions: [WebviewSessionID] = []
            for _ in 0..<7 { webviewSessions.append(try await rig.issued().webviewSession) }
            webviewSessions.sort()
            let end = UUIDBytes(high: .max, low: .max)
            let first = try await rig.store.countLive(from: webviewSessions[1], until: webviewSessions[6], limit: 3)
            #expect(first == CountStep(live: 3, last: webviewSessions[3]))
            let last = try await rig.store.countLive(from: webviewSessions[4], until: webviewSessions[6], limit: 3)
            #expect(last == CountStep(live: 2, last: nil))
            #expect(try await rig.store.countLive(from: end, until: end, limit: 3) == CountStep(live: 0, last: nil))
        }
    }

    @Test func `limit nobody after a start until they are counted, then all together`() async throws {
        var policy = BrokerPolicy.unlimited()
        policy.limits.sessionsTotal = 4
        let limited = policy
        try await withRig(policy) { rig in
            for _ in 0..<3 { _ = try await rig.issued() }
            // Another process of the same database.
            let limits = WebviewSessionLimits(policy: limited)
            let clock = ManualClock(SystemClock().now() + .seconds(1))
            let broker = try Broker(
                store: rig.store,
                policy: limited,
                limits: limits,
                random: rig.random,
                clock: clock,
                metrics: rig.metrics
            )
            let request = IssueRequest(client: .iosApp, order: try rig.order())
            func issue() async throws -> String { try await word(broker.issue(request, by: rig.caller())) }
            let counter = rig.counter(limits, clock)
            for _ in 0..<3 {
                #expect(try await issue() == "issued")
                clock.advance(by: .seconds(1))
                #expect(try await counter.step())
                // A reading takes its own millisecond in, and what is issued behind it comes on top.
                clock.advance(by: .seconds(1))
            }
            #expect(limits.liveWebviewSessions == nil)
            while try await counter.step() {}
            #expect(limits.liveWebviewSessions == 6)
            #expect(try await issue() == "refused tooManyWebviewSessions")
            // Tickets that nobody opens are over after five minutes, not at the end of two hours.
            try rig.sql("UPDATE webview_session SET launch_until = now(), idle_until = now()")
            clock.advance(by: .seconds(60))
            while try await counter.step() {}
            #expect(limits.liveWebviewSessions == 0)
            for _ in 0..<4 { #expect(try await issue() == "issued") }
            #expect(try await issue() == "refused tooManyWebviewSessions")
        }
    }
}

/// A calendar clock that a test moves.
private final class ManualClock: WallClock, MonotonicClock {
    private let time: Lock<WallTime>

    init(_ start: WallTime) {
        time = Lock(start)
    }

    func now() -> WallTime { time.withLock { $0 } }

    func monotonicNow() -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(now().microseconds) * 1000) }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}

extension Rig {
    /// A counter that looks at few sessions at a time.
    fileprivate func counter(_ limits: WebviewSessionLimits, _ clock: any WallClock) -> LiveSessionCounter {
        LiveSessionCounter(store: store, limits: limits, life: .seconds(7_200), clock: clock, batch: 3)
    }

    /// Live sessions, as the program counts them.
    fileprivate func countLive() async throws -> Int? {
        let limits = WebviewSessionLimits(policy: .unlimited())
        let counter = counter(limits, ManualClock(SystemClock().now() + .seconds(1)))
        while try await counter.step() {}
        return limits.liveWebviewSessions
    }
}
