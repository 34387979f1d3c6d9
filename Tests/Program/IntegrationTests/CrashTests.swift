import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

@Suite("Crashes of the server", .tags(.database, .slow), .serialized)
struct CrashTests {
    enum Step: String, CaseIterable, Sendable {
        case issued, opened, reviewed, placed
    }

    @Test(arguments: Step.allCases, ProcessSetup.all)
    func `a killed server loses no step before the purchase`(step: Step, setup: ProcessSetup) async throws {
        try await withProcessShop(over: setup.version) { shop in
            try await shop.turnAutopilotOn()
            let others = try await shop.start(setup.processes - 1)
            var server = try await shop.startServer()
            var crossing = try await shop.client.issue(server.url)
            if step == .issued { server = try await shop.replace(server, by: others) }
            try await shop.client.open(&crossing, server.url)
            if step == .opened { server = try await shop.replace(server, by: others) }
            try await shop.client.choose(&crossing, server.url)
            try await shop.client.review(&crossing, server.url)
            if step == .reviewed { server = try await shop.replace(server, by: others) }
            try await shop.client.agree(&crossing, server.url)
            if step == .placed { server = try await shop.replace(server, by: others) }
            let answer = try await shop.client.purchase(crossing, server.url)
            #expect(answer.status == 200)
            try await shop.expectPaidOnce([crossing])
        }
    }

    @Test(arguments: ProcessSetup.all)
    func `a server killed while it tells the provider the amount can do so again`(setup: ProcessSetup) async throws {
        try await withProcessShop(over: setup.version) { shop in
            try await shop.turnAutopilotOn()
            let others = try await shop.start(setup.processes - 1)
            var server = try await shop.startServer()
            var crossing = try await shop.client.issue(server.url)
            try await shop.client.open(&crossing, server.url)
            try await shop.client.choose(&crossing, server.url)
            try await shop.client.review(&crossing, server.url)
            try await shop.control.fault("UpdateCheckoutSession", ["delayMs": 60000])
            let lost = (crossing, server.url)
            shop.reactor.startTask { _ = try? await shop.client.tryAgree(lost.0, lost.1) }
            try await shop.waitUntilFaultsAreMet()
            server = try await shop.replace(server, by: others)
            #expect(try shop.state(of: crossing) == "placed")
            try await shop.client.agree(&crossing, server.url)
            let answer = try await shop.client.purchase(crossing, server.url)
            #expect(answer.status == 200)
            try await shop.expectPaidOnce([crossing])
        }
    }

    // MARK: During the purchase

    enum Moment: String, CaseIterable, Sendable {
        /// The purchase has begun, the provider has heard nothing.
        case begun
        /// The completion has reached the provider, which carries it out although nobody waits for the answer any more.
        case sent
        /// The provider has answered, the answer is not stored.
        case answered
        /// The answer is stored, the app may not have it.
        case settled
    }

    enum Rescue: String, CaseIterable, Sendable {
        case app, recoveryTask
    }

    /// A moment, and what there is.
    static let moments = Moment.allCases.flatMap { moment in ProcessSetup.all.map { (moment: moment, setup: $0) } }

    @Test(arguments: moments, Rescue.allCases)
    func `a server killed during a purchase charges once`(
        at: (moment: Moment, setup: ProcessSetup),
        rescue: Rescue
    ) async throws {
        let moment = at.moment
        try await withProcessShop(over: at.setup.version) { shop in
            try await shop.turnAutopilotOn()
            let others = try await shop.start(at.setup.processes - 1)
            let first = try await shop.startServer()
            let crossing = try await shop.place(on: first)
            try await CrashTests.crash(at: moment, crossing, shop, first)
            #expect(try shop.state(of: crossing) == (moment == .settled ? "authorized" : "purchasing"))
            let answer =
                rescue == .app
                ? try await CrashTests.rescueByApp(crossing, shop, others, isSettled: moment == .settled)
                : try await CrashTests.rescueByTask(crossing, shop, others)
            #expect(answer.0.status == 200)
            let again = try await shop.client.purchase(crossing, answer.1.url)
            #expect(again.body == answer.0.body)
            let calls = try await shop.expectPaidOnce([crossing])
            #expect(Set((calls[crossing.session] ?? []).map(\.key)).count == 1, "one attempt, one key")
        }
    }

    private static func rescueByApp(
        _ crossing: Crossing,
        _ shop: ProcessShop,
        _ others: [ServerProcess],
        isSettled: Bool
    ) async throws -> (InboundResponse, ServerProcess) {
        let server = try await shop.survivor(of: others)
        if !isSettled {
            let early = try await shop.client.purchase(crossing, server.url)
            #expect(isInProgress(early), "the lease of the dead one still runs")
        }
        return (try await shop.purchaseUntilDone(crossing, on: server), server)
    }

    private static func rescueByTask(
        _ crossing: Crossing,
        _ shop: ProcessShop,
        _ others: [ServerProcess]
    ) async throws -> (InboundResponse, ServerProcess) {
        try shop.endLease(of: crossing)
        let server = try await shop.survivor(of: others)
        try await poll(shop.reactor, "recovery") { try shop.state(of: crossing) == "authorized" ? () : nil }
        return (try await shop.client.purchase(crossing, server.url), server)
    }

    private static func crash(
        at moment: Moment,
        _ crossing: Crossing,
        _ shop: ProcessShop,
        _ server: ServerProcess
    ) async throws {
        switch moment {
        case .begun:
            try await server.program.end(.kill)
            try await crashBeforeSending(crossing, shop)
        case .sent:
            try await shop.control.fault("CompleteCheckoutSession", ["delayMs": 60000, "ifAbandoned": "atOnce"])
            shop.reactor.startTask { _ = try? await shop.client.purchase(crossing, server.url) }
            try await shop.waitUntilFaultsAreMet()
            try await server.program.end(.kill)
            try await poll(shop.reactor, "the effect") { try await shop.completions().isEmpty ? nil : () }
        case .answered:
            try await shop.kill(server, asItUpdates: "webview_session", when: "NEW.state = 'authorized'") {
                _ = try await shop.client.purchase(crossing, server.url)
            }
            #expect(try await shop.completions().map(\.isEffective) == [true])
        case .settled:
            shop.reactor.startTask { _ = try? await shop.client.purchase(crossing, server.url) }
            try await poll(shop.reactor, "settled") { try shop.state(of: crossing) == "authorized" ? () : nil }
            try await server.program.end(.kill)
        }
    }

    /// The provider of this server takes connections and reads nothing.
    private static func crashBeforeSending(_ crossing: Crossing, _ shop: ProcessShop) async throws {
        let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0), reusePort: false)
        shop.settings["SALLYPORT_PROVIDER_API_URL"] = "http://\(try Socket.localAddress(listener))"
        let server = try await shop.startServer()
        shop.settings = [:]
        shop.reactor.startTask { _ = try? await shop.client.purchase(crossing, server.url) }
        try await poll(shop.reactor, "begun") { try shop.state(of: crossing) == "purchasing" ? () : nil }
        try await server.program.end(.kill)
    }
}

extension ProcessShop {
    /// Kills a server; another one goes on.
    func replace(_ server: ServerProcess, by others: [ServerProcess]) async throws -> ServerProcess {
        try await server.program.end(.kill)
        return try await survivor(of: others)
    }

    /// A server that has run beside the killed one, or else a new one.
    func survivor(of others: [ServerProcess]) async throws -> ServerProcess {
        if let other = others.first { return other }
        return try await startServer()
    }
}
