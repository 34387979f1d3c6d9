import AppStoreTransactions
import EventIO
import FeatureTestKit
import HTTPClient
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import Telemetry
import TestKit
import Testing
import Web

@testable import AppStore

/// The real client and the simulated App Store, on a socket, by a clock that a test moves.
private final class WireBench {
    let store: SimulatedStore
    let exchange: RecordedExchange
    let server: AppStoreServer
    let clock: ManualClock
    let reactor: Reactor

    static func run(_ body: @escaping @Sendable (WireBench) async throws -> Void) async throws {
        let clock = ManualClock()
        try await SimulatedStore.run(clock: clock) { store, reactor in
            try await body(try WireBench(store, clock, reactor))
        }
    }

    private init(_ store: SimulatedStore, _ clock: ManualClock, _ reactor: Reactor) throws {
        var environment: [String: String] = [:]
        for (name, text) in store.settings {
            environment["SALLYPORT_" + name.uppercased().replacing(".", with: "_")] = text
        }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        let settings = ServerAPISettings(&reader)
        let context = LoopContext(
            reactor,
            database: try ScriptedDatabase().client(reactor),
            headers: HeaderPolicy(includesSubdomains: false)
        )
        exchange = RecordedExchange(CurlClient(reactor))
        context.offer(exchange, as: (any HTTPExchange).self)
        let keys = ServerAPIKeys(try settings.key(bundleID: SimulatedStore.bundle))
        server = AppStoreServer(settings, keys, ServerAPIPace(), context)
        (self.store, self.clock, self.reactor) = (store, clock, reactor)
    }

    /// Has the next requests go wrong.
    func fault(_ action: JSONValue, times: Int = 9) async throws {
        let match: JSONValue = ["operation": "transactionInfo", "count": JSONValue(times)]
        try await control("DELETE", "/faults")
        try await control("POST", "/faults", ["match": match, "action": action])
    }

    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await store.control(method, path, body, through: CurlClient(reactor))
    }

    /// Has time pass.
    func pass(_ time: Duration) async {
        clock.advance(by: time, waking: reactor.executor)
        await reactor.nextTurn()
    }

    /// Buys something; its id.
    func buy() async throws -> String {
        let bought = try await control("POST", "/purchases", ["product": "ticket.1", "environment": "Production"])
        return try #require(bought["transactionId"]?.text)
    }

    /// Asks for a transaction, while pauses pass at once.
    ///
    /// - Returns: Why nothing came, and how often the server was asked.
    func ask(_ id: String) async throws -> (problem: ServerAPIProblem?, requests: Int) {
        let before = exchange.requests.count
        var result: Result<String, ServerAPIProblem>?
        let request = try ServerAPIRequest.transactionInfo(id)
        reactor.startTask {
            do throws(ServerAPIProblem) {
                result = .success(
                    try await self.server.call(request, in: .production, SignedAnswer.transaction)
                )
            } catch { result = .failure(error) }
        }
        _ = await waitUntil(reactor) {
            if exchange.pending == 0 { clock.advance(by: .milliseconds(50), waking: reactor.executor) }
            return result != nil
        }
        let requests = exchange.requests.count - before
        switch try #require(result) {
        case .success: return (nil, requests)
        case .failure(let problem): return (problem, requests)
        }
    }
}

@Suite struct `Errors of Apple's server, over the wire` {
    @Test func `end each call as the table says, and none is repeated without end`() async throws {
        try await WireBench.run { bench in
            let id = try await bench.buy()
            for code in ServerAPIErrorMeaning.codes {
                let meaning = try #require(ServerAPIErrorMeaning(code: code))
                try await bench.fault(["reasonCode": .string(String(code))])
                let (problem, requests) = try await bench.ask(id)
                let refusal = ServerAPIFailure(status: code / 10_000, body: Array(#"{"errorCode":\#(code)}"#.utf8))
                switch meaning.repetition {
                case .never: #expect(problem == .refused(refusal) && requests == 1, "\(code)")
                case .once: #expect(problem == .unavailable && requests == 2, "\(code)")
                case .soon: #expect(problem == .unavailable && requests == 4, "\(code)")
                case .whenAllowed:
                    guard case .later = problem else {
                        Issue.record("\(code): \(String(describing: problem))")
                        continue
                    }
                    #expect(requests == 1)
                    await bench.pass(.seconds(2))
                }
                let isKept = Failure(try #require(problem)).context as? SubmissionContext
                #expect(isKept?.finish == false, "\(code)")
            }
            try await bench.control("DELETE", "/faults")
            #expect(try await bench.ask(id).problem == nil)
        }
    }

    @Test func `without a code go by their status, and lost answers are asked for again`() async throws {
        try await WireBench.run { bench in
            let id = try await bench.buy()
            for status in [500, 502, 503, 504] {
                try await bench.fault(["status": JSONValue(status)])
                #expect(try await bench.ask(id) == (.unavailable, 4), "\(status)")
            }
            for status in [400, 403, 404, 405, 501] {
                try await bench.fault(["status": JSONValue(status)])
                let refusal = ServerAPIFailure(status: status, body: [])
                #expect(try await bench.ask(id) == (.refused(refusal), 1), "\(status)")
            }
            for word in ["resetBefore", "truncateBody", "htmlBody", "badJson"] {
                try await bench.fault(.object([JSONMember(word, true)]))
                #expect(try await bench.ask(id) == (.unavailable, 4), "\(word)")
                try await bench.fault(.object([JSONMember(word, true)]), times: 2)
                #expect(try await bench.ask(id) == (nil, 3), "\(word)")
            }
        }
    }

    @Test func `of too many calls name a time in milliseconds, before which nobody asks`() async throws {
        try await WireBench.run { bench in
            let id = try await bench.buy()
            try await bench.fault(["status": 429, "retryAfter": "+90000"], times: 1)
            let asked = try await bench.ask(id)
            guard case .later(let time) = asked.problem else {
                Issue.record("\(String(describing: asked.problem))")
                return
            }
            let wait = time.microseconds - bench.clock.now().microseconds
            #expect(wait > 80_000_000 && wait <= 90_000_000)
            let early = try await bench.ask(id)
            guard case .later = early.problem else {
                Issue.record("\(String(describing: early.problem))")
                return
            }
            #expect(early.requests == 0)
            await bench.pass(.microseconds(wait))
            #expect(try await bench.ask(id).problem == nil)
            // Seconds from now, and what no clock says, are waited for, too.
            for text in ["30", "soon"] {
                try await bench.fault(["status": 429, "retryAfter": .string(text)], times: 1)
                guard case .later = try await bench.ask(id).problem else {
                    Issue.record("\(text)")
                    continue
                }
                #expect(try await bench.ask(id).requests == 0)
                await bench.pass(.seconds(61))
            }
        }
    }

    @Test func `of the key cost one token more, and one token is for many calls`() async throws {
        try await WireBench.run { bench in
            let id = try await bench.buy()
            for _ in 0..<5 { #expect(try await bench.ask(id) == (nil, 1)) }
            #expect(bench.exchange.tokens.count == 1)
            await bench.pass(.seconds(1))
            try await bench.fault(["status": 401], times: 1)
            #expect(try await bench.ask(id) == (nil, 2))
            #expect(bench.exchange.tokens.count == 2)
            await bench.pass(.seconds(1))
            try await bench.fault(["status": 401])
            #expect(try await bench.ask(id) == (.credentials, 2))
            // A token that has nearly ended is not shown.
            try await bench.control("DELETE", "/faults")
            await bench.pass(.seconds(550))
            let before = bench.exchange.tokens.count
            #expect(try await bench.ask(id) == (nil, 1))
            #expect(bench.exchange.tokens.count == before + 1)
        }
    }

    @Test func `are none while the key is changed for another`() async throws {
        try await SimulatedStore.run { store, _ in
            try await withTemporaryFolder { folder in
                let names = SimulatedStore.keyIDs.map { "AuthKey_\($0).p8" }
                let source = Files.parent(of: store.settings["app_store.private_key"] ?? "")
                // As an operator changes a key: the path stays, and leads to another file.
                let link = "\(folder)/AuthKey.p8"
                try FileManagerLink.make(link, to: "\(source)/\(names[0])")
                var settings = store.settings
                settings["app_store.private_key"] = link
                try await withAppStore(settings) { shop in
                    let part = shop.part
                    let client = CurlClient(part.loop.reactor)
                    let bought = try await store.control(
                        "POST",
                        "/purchases",
                        ["product": "consumable.ticket.1", "environment": "Production"],
                        through: client
                    )
                    let id = try #require(bought["transactionId"]?.text)
                    #expect(part.process.keys?.current.key.id == SimulatedStore.keyIDs[0])
                    _ = try await part.fetch(id, in: [.production], at: SystemClock().now())
                    try FileManagerLink.make(link, to: "\(source)/\(names[1])")
                    try part.process.reload()
                    #expect(part.process.keys?.current.key.id == SimulatedStore.keyIDs[1])
                    let said = shop.program.log.lines(with: "app_store.reloaded")
                    #expect(said.count == 1 && said[0].contains(#""products":3"#), "\(said)")
                    #expect(said.first?.contains(#""key":"\#(SimulatedStore.keyIDs[1])""#) == true)
                    _ = try await part.fetch(id, in: [.production], at: SystemClock().now())
                    try FileManagerLink.make(link, to: "\(source)/nothing_KEY.p8")
                    #expect(throws: (any Error).self) { try part.process.reload() }
                    #expect(shop.program.log.lines(with: "app_store.reloaded").count == 1)
                    _ = try await part.fetch(id, in: [.production], at: SystemClock().now())
                    let log = try await store.control("GET", "/log", through: client)
                    #expect(log["entries"]?.elements.map { $0["status"] } == [200, 200, 200])
                }
            }
        }
    }
}
