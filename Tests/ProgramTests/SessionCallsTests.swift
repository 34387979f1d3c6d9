import AmazonPay
import EventIO
import Primitives
import Telemetry
import TestKit
import Testing

@testable import Checkout
@testable import Program

@Suite("The calls of a session")
struct SessionCallsTests {
    private final class Uptime: Sendable {
        let now = Lock<Int64>(1_000_000)
        func pass(_ seconds: Int64) { now.withLock { $0 += seconds * 1_000_000 } }
    }

    private let uptime = Uptime()
    private let metrics = MetricsRegistry()
    private let webviewSession = UUIDBytes(high: 1, low: 2)

    private func calls() -> SessionCalls {
        let uptime = uptime
        return SessionCalls(metrics) { uptime.now.withLock { $0 } }
    }

    @Test(arguments: [
        (SessionCalls.Purpose.review, 5, 5), (.result, 5, 5), (.update, 5, 5), (.purchase, 10, 2),
        (.buyer, 5, 5),
    ])
    func `are a burst, then one after a while`(purpose: SessionCalls.Purpose, burst: Int, seconds: Int) {
        let calls = calls()
        for _ in 0..<burst { #expect(calls.count(purpose, of: webviewSession) == nil) }
        for _ in 0..<1000 { #expect(calls.count(purpose, of: webviewSession) == seconds) }
        uptime.pass(Int64(seconds))
        #expect(calls.count(purpose, of: webviewSession) == nil)
        #expect(calls.count(purpose, of: webviewSession) == seconds)
        #expect(
            metrics.prometheusText().contains(
                "sallyport_session_calls_refused_total{purpose=\"\(purpose.rawValue)\"} 1001"
            )
        )
        // Another purpose, and another session, are counted for themselves.
        for other in SessionCalls.Purpose.allCases where other != purpose {
            #expect(calls.count(other, of: webviewSession) == nil)
        }
        #expect(calls.count(purpose, of: UUIDBytes(high: 1, low: 3)) == nil)
    }

    @Test func `about what the account does not have are made once in a while`() throws {
        let calls = calls()
        let session = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
        #expect(!calls.isUnknown(session, to: webviewSession))
        calls.remember(unknown: session, to: webviewSession)
        #expect(calls.isUnknown(session, to: webviewSession))
        #expect(!calls.isUnknown(session, to: UUIDBytes(high: 1, low: 3)))
        uptime.pass(59)
        #expect(calls.isUnknown(session, to: webviewSession))
        uptime.pass(120)
        #expect(!calls.isUnknown(session, to: webviewSession))
    }

    @Test func `that ask for the same at the same time are one`() async throws {
        try await withLoop { reactor in
            var ends: [Suspension<Int>] = []
            let shared = SharedCalls<String, Int> { body in reactor.startTask(body) }
            func ask(_ key: String) async -> Int {
                await shared.value(of: key) { await suspend { ends.append($0) } }
            }
            var answers: [Int] = []
            for index in 0..<100 {
                reactor.startTask { answers.append(await ask(index < 99 ? "a" : "b")) }
            }
            #expect(await waitUntil(reactor) { ends.count == 2 })
            #expect(shared.isUnderWay("a") && shared.isUnderWay("b") && !shared.isUnderWay("c"))
            ends[0].resume(1)
            #expect(await waitUntil(reactor) { answers.count == 99 })
            #expect(answers.allSatisfy { $0 == 1 })
            #expect(!shared.isUnderWay("a") && shared.isUnderWay("b"))
            ends[1].resume(2)
            #expect(await waitUntil(reactor) { answers.count == 100 })
            // The next one is a call of its own.
            reactor.startTask { answers.append(await ask("a")) }
            #expect(await waitUntil(reactor) { ends.count == 3 })
            ends[2].resume(3)
            #expect(await waitUntil(reactor) { answers.last == 3 })
        }
    }

    @Test func `go on when whoever asked first goes away`() async throws {
        try await withLoop { reactor in
            var ends: [Suspension<Int>] = []
            var answers: [Int] = []
            var isCancelled: Bool?
            let shared = SharedCalls<String, Int> { body in reactor.startTask(body) }
            func ask() async -> Int {
                await shared.value(of: "a") {
                    let value: Int = await suspend { ends.append($0) }
                    isCancelled = Task.isCancelled
                    return value
                }
            }
            let first = reactor.startTask { answers.append(await ask()) }
            reactor.startTask { answers.append(await ask()) }
            first.cancel()
            #expect(await waitUntil(reactor) { ends.count == 1 })
            ends[0].resume(7)
            #expect(await waitUntil(reactor) { answers == [7, 7] })
            #expect(isCancelled == false)
        }
    }
}
