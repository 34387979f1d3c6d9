import AmazonPay
import Cryptography
import EventIO
import Primitives
import SessionBroker
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

    private func calls(_ table: QuotaTable = .unlimited) -> SessionCalls {
        let uptime = uptime
        return SessionCalls(metrics, limits: CallQuota.Limits(table)) { uptime.now.withLock { $0 } }
    }

    @Test(arguments: [
        (SessionCalls.Purpose.review, 5, 5), (.result, 5, 5), (.update, 5, 5), (.purchase, 10, 2),
        (.buyer, 5, 5), (.refresh, 5, 5),
    ])
    func `are a burst, then one after a while`(purpose: SessionCalls.Purpose, burst: Int, seconds: Int) {
        let calls = calls()
        func count(_ purpose: SessionCalls.Purpose, of webviewSession: WebviewSessionID) -> Int? {
            calls.count(purpose, of: webviewSession, by: Self.caller(1), isScarce: true)
        }
        for _ in 0..<burst { #expect(count(purpose, of: webviewSession) == nil) }
        for _ in 0..<1000 { #expect(count(purpose, of: webviewSession) == seconds) }
        uptime.pass(Int64(seconds))
        #expect(count(purpose, of: webviewSession) == nil)
        #expect(count(purpose, of: webviewSession) == seconds)
        #expect(
            metrics.prometheusText().contains(
                "sallyport_session_calls_refused_total{purpose=\"\(purpose.label)\"} 1001"
            )
        )
        // Another purpose, and another session, are counted for themselves.
        for other in SessionCalls.Purpose.allCases where other != purpose {
            #expect(count(other, of: webviewSession) == nil)
        }
        #expect(count(purpose, of: UUIDBytes(high: 1, low: 3)) == nil)
    }

    private static func caller(_ address: UInt64, network: UInt64 = 1, showsKey: Bool = false) -> Caller {
        var caller = Caller(
            keys: ClientKeys(address: address, network: network),
            agent: SHA256.digest(of: []),
            serialNumber: address
        ) { _ in }
        caller.showsKey = showsKey
        return caller
    }

    @Test(arguments: [false, true])
    func `are a share of the account's while it is scarce, however many sessions there are`(hasNetwork: Bool) {
        let calls = calls(.live)
        func count(_ index: Int, _ caller: Caller, isScarce: Bool = true) -> Bool {
            let webviewSession = UUIDBytes(high: 1, low: UInt64(index))
            return calls.count(.review, of: webviewSession, by: caller, isScarce: isScarce) == nil
        }
        func many(_ first: Int, isScarce: Bool = true) -> Int {
            (first..<first + 150).count { count($0, Self.caller(hasNetwork ? UInt64($0) : 1), isScarce: isScarce) }
        }
        // Of the 24 at once that buyers have of 36.
        #expect(many(0) == (hasNetwork ? 12 : 6))
        #expect(count(900, Self.caller(2_000, network: 2)))
        // Another address of the network has its own share, unless they are many.
        #expect(count(901, Self.caller(2_001, network: 1)) != hasNetwork)
        // Who shows a merchant's key asks for many buyers.
        #expect((902..<990).allSatisfy { count($0, Self.caller(1, showsKey: true)) })
        uptime.pass(1)
        // Of 7.2 a second.
        #expect(many(1_000) == (hasNetwork ? 3 : 1))
        #expect(many(2_000, isScarce: false) == 150)
    }

    @Test func `about what the account does not have are made once in a while`() throws {
        let calls = calls()
        let session = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
        let caller = Self.caller(1)
        #expect(!calls.isRefused(session, to: webviewSession, caller))
        calls.remember(unknown: session, to: webviewSession, caller)
        #expect(calls.isRefused(session, to: webviewSession, caller))
        #expect(!calls.isRefused(session, to: UUIDBytes(high: 1, low: 3), caller))
        uptime.pass(59)
        #expect(calls.isRefused(session, to: webviewSession, caller))
        uptime.pass(120)
        #expect(!calls.isRefused(session, to: webviewSession, caller))
    }

    @Test func `about an id that was refused twice are made for no other session of the address`() throws {
        let calls = calls()
        let session = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
        let other = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000001"))
        let (caller, neighbour) = (Self.caller(1), Self.caller(2))
        for low in UInt64(10)..<12 {
            #expect(!calls.isRefused(session, to: UUIDBytes(high: 1, low: low), caller))
            calls.remember(unknown: session, to: UUIDBytes(high: 1, low: low), caller)
        }
        #expect(calls.isRefused(session, to: webviewSession, caller))
        #expect(!calls.isRefused(session, to: webviewSession, neighbour))
        #expect(!calls.isRefused(session, to: webviewSession, Self.caller(1, showsKey: true)))
        #expect(!calls.isRefused(other, to: webviewSession, caller))
    }

    @Test func `about another's session are made once, and its owner's go on`() throws {
        let calls = calls()
        let session = try #require(CheckoutSessionID("00000000-0000-4000-8000-000000000000"))
        let caller = Self.caller(1)
        for low in UInt64(10)..<20 { calls.remember(foreign: session, to: UUIDBytes(high: 1, low: low)) }
        #expect(calls.isRefused(session, to: UUIDBytes(high: 1, low: 10), caller))
        #expect(!calls.isRefused(session, to: webviewSession, caller))
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
