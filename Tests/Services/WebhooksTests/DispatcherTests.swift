import Cryptography
import EventIO
import HTTPCore
import Primitives
import Telemetry
import TestKit
import Testing
import Webhooks

/// Endpoints that answer as a test says, by address.
private final class ScriptedEndpoints: HTTPExchange {
    var requests: [OutboundRequest] = []
    var answer: (OutboundRequest) -> InboundResponse? = { _ in InboundResponse(status: 200) }
    var failure = HTTPExchangeError.Code.connectFailed
    /// Addresses that do not answer until they are let go.
    var hanging: Set<String> = []
    private var waiting: [Suspension<Void>] = []
    private(set) var underWay: [String: Int] = [:]
    private(set) var most: [String: Int] = [:]

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        underWay[request.url, default: 0] += 1
        most[request.url] = max(most[request.url] ?? 0, underWay[request.url] ?? 0)
        if hanging.contains(request.url) { await suspend { waiting.append($0) } }
        underWay[request.url, default: 0] -= 1
        guard let response = answer(request) else { throw HTTPExchangeError(failure) }
        return response
    }

    func letGo() {
        let all = waiting
        waiting = []
        for suspension in all { suspension.resume() }
    }
}

/// A dispatcher with all that it needs, on a loop whose clock stands still.
private final class Bench {
    let reactor: Reactor
    let clock: ManualClock
    let store: MemoryStore
    let endpoints = ScriptedEndpoints()
    let vault: WebhookVault
    let log = CapturedLog()
    let metrics = MetricsRegistry()
    var dispatcher: WebhookDispatcher
    let random = SeededRandom(seed: 5)
    var secrets: [UUIDBytes: [WebhookKey]] = [:]

    init(_ reactor: Reactor, _ clock: ManualClock, concurrency: Int, tries: Int) throws {
        self.reactor = reactor
        self.clock = clock
        store = MemoryStore(clock: clock)
        vault = try WebhookVault(Keyring([UInt8](repeating: 7, count: 32)))
        var policy = DeliveryPolicy()
        policy.tries = tries
        policy.concurrency = concurrency
        dispatcher = WebhookDispatcher(
            policy: policy,
            store: store,
            sender: try WebhookSender(over: endpoints, agent: "Sallyport/test"),
            vault: vault,
            reactor: reactor,
            clock: clock,
            logger: log.logger(),
            metrics: metrics
        )
    }

    /// Adds an endpoint.
    func endpoint(_ number: UInt64, keys: Int = 1) throws -> UUIDBytes {
        let id = UUIDBytes(high: 1, low: number)
        store.urls[id] = "https://\(number).example"
        let made = (0..<keys).map { _ in WebhookKey.mint(random: random) }
        secrets[id] = made
        store.keys[id] = try made.map { try vault.seal($0, of: id, random: random) }
        return id
    }

    /// One round, and everything that it began.
    func round() async throws {
        _ = await dispatcher.round()
        try #require(await waitUntil(reactor) { endpoints.underWay.values.allSatisfy { $0 == 0 } })
        for _ in 0..<20 { await reactor.nextTurn() }
    }

    /// The session and place of each request, in order.
    var sent: [String] {
        endpoints.requests.map { request in
            let id = request.fields.first { $0.0 == "webhook-id" }?.1 ?? ""
            return String(id.suffix(12).drop { $0 == "0" })
        }
    }
}

private func withBench(
    concurrency: Int = 16,
    tries: Int = 20,
    _ body: @escaping @Sendable (Bench) async throws -> Void
) async throws {
    let clock = ManualClock()
    try await withLoop(clock: clock) { reactor in
        try await body(Bench(reactor, clock, concurrency: concurrency, tries: tries))
    }
}

private func subject(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 2, low: number) }

@Suite("The dispatcher")
struct DispatcherTests {
    @Test func `sends an event once, signed with every key of its endpoint`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1, keys: 2)
            bench.store.happen(endpoint, subject(1), 1)
            try await bench.round()
            try await bench.round()
            let request = try #require(bench.endpoints.requests.first)
            #expect(bench.endpoints.requests.count == 1)
            #expect(request.method == "POST" && request.url == "https://1.example")
            #expect(request.body == MemoryStore.event(subject(1), 1).body)
            #expect(request.timeout == .seconds(10))
            let fields = Dictionary(request.fields) { first, _ in first }
            #expect(fields["content-type"] == "application/json")
            #expect(fields["user-agent"] == "Sallyport/test")
            let keys = try #require(bench.secrets[endpoint])
            #expect(fields["webhook-key-id"] == "\(keys[0].id) \(keys[1].id)")
            let signer = try WebhookSigner()
            for key in keys {
                let now = bench.clock.now()
                #expect(signer.verify(request.fields, body: request.body, secrets: [key.secret], now: now))
            }
            #expect(bench.store.queueCount == 0)
            #expect(bench.metrics.prometheusText().contains("outcome=\"delivered\"} 1"))
        }
    }

    @Test func `goes on with the next event of a session only when the one before has arrived`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            for sequence in Int64(1)...3 { bench.store.happen(endpoint, subject(1), sequence) }
            bench.endpoints.answer = { _ in InboundResponse(status: 500) }
            try await bench.round()
            #expect(bench.sent == ["1"])
            try await bench.round()
            #expect(bench.sent == ["1"], "not before the pause is over")
            bench.clock.advance(by: .seconds(6))
            bench.endpoints.answer = { _ in InboundResponse(status: 204) }
            try await bench.round()
            #expect(bench.sent == ["1", "1", "2", "3"])
            #expect(bench.store.queueCount == 0)
            #expect(bench.store.failures == [DeliveryFailure(status: 500)])
        }
    }

    @Test func `parks a session after the last try, and at once where the endpoint is gone`() async throws {
        try await withBench(tries: 3) { bench in
            let endpoint = try bench.endpoint(1)
            bench.store.happen(endpoint, subject(1), 1)
            bench.endpoints.answer = { _ in nil }
            for _ in 0..<5 {
                try await bench.round()
                bench.clock.advance(by: .seconds(3600))
            }
            #expect(bench.endpoints.requests.count == 3)
            #expect(bench.store.queue(endpoint, subject(1))?.isDeadLettered == true)
            #expect(bench.store.failures.last == DeliveryFailure(error: "connectFailed"))
            let gone = try bench.endpoint(2)
            bench.store.happen(gone, subject(2), 1)
            bench.endpoints.answer = { _ in InboundResponse(status: 410) }
            try await bench.round()
            #expect(bench.store.queue(gone, subject(2))?.isDeadLettered == true)
            #expect(bench.log.lines(with: "\"webhook.dead_lettered\"").count == 2)
        }
    }

    @Test func `tries one session at a time where an endpoint fails, until it answers`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            for number in UInt64(1)...20 { bench.store.happen(endpoint, subject(number), 1) }
            bench.endpoints.answer = { _ in InboundResponse(status: 503) }
            try await bench.round()
            #expect(bench.endpoints.requests.count == 8, "half of the places")
            try await bench.round()
            try await bench.round()
            #expect(bench.endpoints.requests.count == 10)
            #expect(bench.log.lines(with: "\"webhook.endpoint_failing\"").count == 1)
            bench.endpoints.answer = { _ in InboundResponse(status: 200) }
            bench.clock.advance(by: .seconds(10))
            for _ in 0..<4 { try await bench.round() }
            #expect(bench.store.queueCount == 0)
            #expect(bench.log.lines(with: "\"webhook.endpoint_back\"").count == 1)
        }
    }

    @Test func `sends what waits at once when an endpoint is back, but not for one bad event`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            bench.endpoints.answer = { _ in InboundResponse(status: 503) }
            for number in UInt64(1)...3 { bench.store.happen(endpoint, subject(number), 1) }
            try await bench.round()
            bench.endpoints.answer = { _ in InboundResponse(status: 200) }
            bench.store.happen(endpoint, subject(4), 1)
            try await bench.round()
            try await bench.round()
            #expect(bench.store.queueCount == 3, "three failures may be theirs")
            bench.endpoints.answer = { _ in InboundResponse(status: 503) }
            bench.clock.advance(by: .seconds(6))
            for _ in 0..<4 { try await bench.round() }
            bench.store.happen(endpoint, subject(5), 1)
            bench.store.happen(endpoint, subject(6), 1)
            for _ in 0..<3 { try await bench.round() }
            #expect(bench.store.queueCount == 5)
            bench.endpoints.answer = { _ in InboundResponse(status: 200) }
            bench.store.happen(endpoint, subject(7), 1)
            for _ in 0..<3 { try await bench.round() }
            #expect(bench.store.queueCount == 0)
        }
    }

    @Test func `lets an endpoint that hangs keep nobody else waiting`() async throws {
        try await withBench(concurrency: 4) { bench in
            let slow = try bench.endpoint(1)
            let quick = try bench.endpoint(2)
            for number in UInt64(1)...10 { bench.store.happen(slow, subject(number), 1) }
            bench.endpoints.hanging = ["https://1.example"]
            for _ in 0..<3 { _ = await bench.dispatcher.round() }
            for number in UInt64(11)...20 { bench.store.happen(quick, subject(number), 1) }
            for _ in 0..<10 {
                _ = await bench.dispatcher.round()
                for _ in 0..<20 { await bench.reactor.nextTurn() }
            }
            #expect(bench.endpoints.most["https://1.example"] == 2)
            #expect(bench.sent.count == 12, "all of the other endpoint's")
            bench.endpoints.hanging = []
            bench.endpoints.letGo()
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            while bench.store.queueCount > 0 { try await bench.round() }
            #expect(bench.sent.count == 20)
        }
    }

    @Test func `gives at most half of its places to one endpoint, also where it has some already`() async throws {
        try await withBench(concurrency: 4) { bench in
            let slow = try bench.endpoint(1)
            bench.endpoints.hanging = ["https://1.example"]
            bench.store.happen(slow, subject(1), 1)
            _ = await bench.dispatcher.round()
            for number in UInt64(2)...10 { bench.store.happen(slow, subject(number), 1) }
            for _ in 0..<3 { _ = await bench.dispatcher.round() }
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(bench.endpoints.most["https://1.example"] == 2)
            bench.endpoints.hanging = []
            bench.endpoints.letGo()
            for _ in 0..<20 { await bench.reactor.nextTurn() }
        }
    }

    @Test func `signs nothing with a key that another secret has sealed, and counts no try`() async throws {
        try await withBench(tries: 1) { bench in
            let endpoint = try bench.endpoint(1)
            let other = try WebhookVault(Keyring([UInt8](repeating: 8, count: 32)))
            let good = bench.store.keys[endpoint]
            let key = WebhookKey.mint(random: bench.random)
            bench.store.keys[endpoint] = [try other.seal(key, of: endpoint, random: bench.random)]
            for number in UInt64(1)...3 { bench.store.happen(endpoint, subject(number), 1) }
            for _ in 0..<300 {
                try await bench.round()
                bench.clock.advance(by: .seconds(1))
            }
            #expect(bench.endpoints.requests.isEmpty)
            #expect(bench.log.lines(with: "\"webhook.key_unreadable\"").count == 1)
            for number in UInt64(1)...3 {
                let queue = try #require(bench.store.queue(endpoint, subject(number)))
                #expect(queue.failures == 0 && !queue.isDeadLettered)
            }
            // Whoever has the right file finds them free most of the time.
            let wanted = ClaimDemand(limit: 1, share: 1, lease: .zero)
            #expect(try await bench.store.claim(wanted, attempt: subject(9)).count == 1)
            bench.store.keys[endpoint] = good
            for _ in 0..<63 {
                try await bench.round()
                bench.clock.advance(by: .seconds(1))
            }
            #expect(bench.store.queueCount == 0)
            bench.store.keys[endpoint] = [try other.seal(key, of: endpoint, random: bench.random)]
            bench.store.happen(endpoint, subject(4), 1)
            try await bench.round()
            #expect(bench.log.lines(with: "\"webhook.key_unreadable\"").count == 2, "it has changed")
        }
    }

    @Test func `signs with a fresh key also while the one before cannot be opened any more`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            let other = try WebhookVault(Keyring([UInt8](repeating: 8, count: 32)))
            let lost = try other.seal(WebhookKey.mint(random: bench.random), of: endpoint, random: bench.random)
            bench.store.keys[endpoint]?.append(lost)
            for number in UInt64(1)...3 { bench.store.happen(endpoint, subject(number), 1) }
            try await bench.round()
            #expect(bench.store.queueCount == 0)
            let key = try #require(bench.secrets[endpoint]?.first)
            for request in bench.endpoints.requests {
                #expect(request.fields.first { $0.0 == "webhook-key-id" }?.1 == key.id)
                let now = bench.clock.now()
                #expect(try WebhookSigner().verify(request.fields, body: request.body, secrets: [key.secret], now: now))
            }
            #expect(bench.log.lines(with: "\"webhook.key_unreadable\"").count == 1)
            #expect(bench.log.lines(with: lost.id).count == 1)
        }
    }

    @Test func `counts when it is told to, and never by itself`() async throws {
        try await withBench(concurrency: 1) { bench in
            let endpoint = try bench.endpoint(1)
            for number in UInt64(1)...40 { bench.store.happen(endpoint, subject(number), 1) }
            bench.reactor.startTask { await bench.dispatcher.run() }
            func pass(_ step: Duration, _ count: Int) async {
                for _ in 0..<count {
                    for _ in 0..<20 { await bench.reactor.nextTurn() }
                    bench.clock.advance(by: step, waking: bench.reactor.executor)
                }
                for _ in 0..<20 { await bench.reactor.nextTurn() }
            }
            await pass(.milliseconds(20), 100)
            #expect(bench.store.queueCount == 0)
            await pass(.seconds(3600), 2)
            #expect(bench.store.backlogCount == 0)
            await bench.dispatcher.count()
            #expect(bench.store.backlogCount == 1)
            await bench.dispatcher.stop()
            await pass(.seconds(1), 1)
        }
    }

    @Test func `says once that its store is away, and goes on when it is back`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            bench.store.happen(endpoint, subject(1), 1)
            bench.store.isAway = true
            for _ in 0..<3 { try await bench.round() }
            #expect(bench.log.lines(with: "\"webhook.store_failed\"").count == 1)
            bench.store.isAway = false
            try await bench.round()
            #expect(bench.sent == ["1"])
        }
    }

    @Test func `works by itself, counts what waits, and stops when the tries under way have ended`() async throws {
        try await withBench { bench in
            let endpoint = try bench.endpoint(1)
            bench.reactor.startTask { await bench.dispatcher.run() }
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            bench.store.happen(endpoint, subject(1), 1)
            bench.endpoints.hanging = ["https://1.example"]
            bench.clock.advance(by: .seconds(1), waking: bench.reactor.executor)
            let isSent = await waitUntil(bench.reactor) { bench.sent == ["1"] }
            #expect(isSent)
            var hasStopped = false
            bench.reactor.startTask {
                await bench.dispatcher.stop()
                hasStopped = true
            }
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(!hasStopped)
            bench.endpoints.letGo()
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            bench.clock.advance(by: .milliseconds(20), waking: bench.reactor.executor)
            let isOver = await waitUntil(bench.reactor) { hasStopped }
            #expect(isOver)
            #expect(bench.store.queueCount == 0)
            #expect(bench.metrics.prometheusText().contains("sallyport_webhook_lag_seconds 0"))
            bench.store.happen(endpoint, subject(2), 1)
            bench.clock.advance(by: .seconds(5), waking: bench.reactor.executor)
            for _ in 0..<20 { await bench.reactor.nextTurn() }
            #expect(bench.sent == ["1"], "nothing after the stop")
        }
    }
}
