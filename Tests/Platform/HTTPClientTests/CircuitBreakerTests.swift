import EventIO
import HTTPCore
import Primitives
import Telemetry
import TestKit
import Testing

@testable import HTTPClient

/// A server that answers as it is told to, and counts.
private final class ToldServer: HTTPExchange {
    var answer: Result<InboundResponse, HTTPExchangeError> = .success(
        InboundResponse(status: 200, fields: [], body: [])
    )
    private(set) var count = 0
    /// Whether requests wait for `release`.
    var isHeld = false
    private var waiting: [Suspension<Void>] = []

    var held: Int { waiting.count }

    func release(first count: Int) {
        for suspension in waiting.prefix(count) { suspension.resume() }
        waiting.removeFirst(count)
    }

    func tell(_ status: Int, _ fields: [(String, String)] = []) {
        answer = .success(InboundResponse(status: status, fields: fields, body: []))
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        count += 1
        if isHeld { await suspend { waiting.append($0) } }
        return try answer.get()
    }
}

private final class Bench {
    let server = ToldServer()
    let clock = ManualClock()
    let metrics = MetricsRegistry()
    let breaker: CircuitBreaker

    init() {
        breaker = CircuitBreaker(
            server,
            CircuitBreaker.Policy(),
            purpose: "stamps",
            clock: clock,
            random: SeededRandom(seed: 1),
            metrics: metrics
        )
    }

    /// What a request comes to: a status, or a word.
    func send() async -> String {
        do {
            return "\(try await breaker.send(OutboundRequest(method: "GET", url: "https://stamps.example/")).status)"
        } catch {
            return "\(error.code)"
        }
    }

    var isOpen: Bool { metrics.prometheusText().contains(#"sallyport_outbound_breaker_open{purpose="stamps"} 1"#) }
}

@Suite struct `A server that fails` {
    @Test(arguments: [nil, 429, 500, 503] as [Int?])
    func `is left alone after five failures, and asked by one request after a pause`(status: Int?) async {
        let bench = Bench()
        if let status {
            bench.server.tell(status)
        } else {
            bench.server.answer = .failure(HTTPExchangeError(.timedOut, detail: "the test says so"))
        }
        for _ in 0..<5 { _ = await bench.send() }
        #expect(bench.isOpen)
        #expect(await bench.send() == "connectFailed")
        #expect(bench.server.count == 5)
        bench.clock.advance(by: .seconds(2))
        bench.server.tell(200)
        #expect(await bench.send() == "200")
        #expect(!bench.isOpen)
        #expect(bench.server.count == 6)
    }

    @Test func `is asked later each time, and at the latest after a minute`() async {
        let bench = Bench()
        bench.server.tell(500)
        for _ in 0..<5 { _ = await bench.send() }
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            let count = bench.server.count
            bench.clock.advance(by: .milliseconds(pause * 500 - 1))
            _ = await bench.send()
            #expect(bench.server.count == count, "before half of \(pause) s")
            bench.clock.advance(by: .milliseconds(pause * 500 + 1))
            _ = await bench.send()
            #expect(bench.server.count == count + 1, "after \(pause) s")
        }
    }

    @Test func `says itself for how long, a minute at most`() async {
        let bench = Bench()
        bench.server.tell(503, [("retry-after", "30")])
        #expect(await bench.send() == "503")
        bench.clock.advance(by: .seconds(29))
        #expect(await bench.send() == "connectFailed")
        bench.clock.advance(by: .seconds(1))
        bench.server.tell(429, [("retry-after", "86400")])
        #expect(await bench.send() == "429")
        bench.clock.advance(by: .seconds(60))
        bench.server.tell(204)
        #expect(await bench.send() == "204")
    }

    @Test func `is judged by no request that was refused or cancelled here`() async {
        let bench = Bench()
        bench.server.answer = .failure(HTTPExchangeError(.connectFailed, detail: "the test says so", isOurs: true))
        for _ in 0..<10 { _ = await bench.send() }
        #expect(!bench.isOpen && bench.server.count == 10)
        bench.server.tell(500)
        for _ in 0..<5 { _ = await bench.send() }
        bench.clock.advance(by: .seconds(2))
        bench.server.answer = .failure(HTTPExchangeError(.connectionLost, detail: "the test says so", isOurs: true))
        _ = await bench.send()
        // Nobody knows yet, so the next one is sent as well.
        bench.server.tell(200)
        #expect(await bench.send() == "200")
        #expect(!bench.isOpen)
    }

    @Test func `is judged by the one request that finds out, whatever older ones come to`() async throws {
        try await withLoop { reactor in
            let bench = Bench()
            bench.server.tell(200)
            bench.server.isHeld = true
            var old: [String] = []
            for _ in 0..<2 { reactor.startTask { old.append(await bench.send()) } }
            while bench.server.held < 2 { await reactor.nextTurn() }
            bench.server.isHeld = false
            bench.server.tell(500)
            for _ in 0..<5 { _ = await bench.send() }
            bench.clock.advance(by: .seconds(2))
            bench.server.isHeld = true
            bench.server.tell(200)
            var trial: [String] = []
            reactor.startTask { trial.append(await bench.send()) }
            while bench.server.held < 3 { await reactor.nextTurn() }
            // One that was sent before comes to its end: nothing is known by it.
            bench.server.release(first: 2)
            while old.count < 2 { await reactor.nextTurn() }
            bench.server.isHeld = false
            #expect(bench.isOpen)
            #expect(await bench.send() == "connectFailed")
            bench.server.release(first: 1)
            while trial.isEmpty { await reactor.nextTurn() }
            #expect(trial == ["200"] && !bench.isOpen)
        }
    }

    @Test func `is not left alone for what a client did wrong, nor for failures with a success between`() async {
        let bench = Bench()
        for status in [400, 404, 500, 500, 500, 500, 200, 500, 500, 500, 500] {
            bench.server.tell(status)
            #expect(await bench.send() == "\(status)")
        }
        #expect(!bench.isOpen)
    }
}
