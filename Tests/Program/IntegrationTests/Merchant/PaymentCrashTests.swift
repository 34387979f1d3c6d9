import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

@Suite("Crashes during payments of merchants", .tags(.database, .slow), .serialized)
struct PaymentCrashTests {
    enum Moment: String, CaseIterable, Sendable {
        /// The operation is written down, the provider has heard nothing.
        case begun
        /// The call has reached the provider, which carries it out although nobody waits for the answer any more.
        case sent
        /// The provider has answered, the answer is not stored.
        case answered
        /// The answer is stored, the merchant may not have it.
        case settled
    }

    enum Rescue: String, CaseIterable, Sendable {
        case merchant, recoveryTask
    }

    enum Call: String, CaseIterable, Sendable {
        case capture = "CaptureCharge"
        case refund = "CreateRefund"
        case charge = "CreateCharge"

        /// What a paid order is told about before and by the call.
        var events: [String] {
            switch self {
            case .capture: ["session.paid", "charge.authorized", "charge.captured"]
            case .refund: ["session.paid", "charge.authorized", "charge.captured", "refund.created"]
            case .charge: ["session.paid", "charge.authorized", "charge.canceled", "charge.authorized"]
            }
        }
    }

    @Test(arguments: Call.allCases.flatMap { call in Moment.allCases.map { (call, $0) } }, Rescue.allCases)
    func `a server killed during a payment moves the money once`(
        at: (call: Call, moment: Moment),
        rescue: Rescue
    ) async throws {
        try await withProcessShop { shop in
            shop.settings["SALLYPORT_MERCHANT_API"] = "true"
            try await shop.turnAutopilotOn()
            let first = try await shop.startServer()
            let till = try await ProcessTill.open(shop, first)
            try await till.prepare(at.call, first)
            let request = till.request(at.call)
            try await till.crash(at: at.moment, request, at.call, first)
            let open = try shop.value("SELECT count(*) FROM payment_operation_open")
            #expect(open == (at.moment == .settled ? "0" : "1"))
            if rescue == .recoveryTask { try till.endLeases() }
            let server = try await shop.startServer()
            if rescue == .merchant, at.moment != .settled {
                let early = try await till.send(request, server)
                #expect(early.status == 409, "the lease of the dead one still runs")
                try till.endLeases()
            }
            if rescue == .recoveryTask {
                try await poll(shop.reactor, "recovery") {
                    try shop.value("SELECT count(*) FROM payment_operation_open") == "0" ? () : nil
                }
            }
            // The server's own recovery may have been faster, and be at it.
            let answer = try await poll(shop.reactor, "an answer") {
                let answer = try await till.send(request, server)
                return answer.status == 409 ? nil : answer
            }
            #expect(
                answer.status == (at.call == .capture ? 200 : 201),
                "\(String(decoding: answer.body, as: UTF8.self))"
            )
            #expect(try await till.send(request, server).body == answer.body)
            let calls = try await till.calls(at.call)
            #expect(calls.filter(\.isEffective).count == 1)
            #expect(Set(calls.map(\.key)).count == 1, "one operation, one key")
            let events = try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
            #expect(events == at.call.events)
        }
    }
}

/// What a merchant's server knows of one paid order of a shop of processes.
private struct ProcessTill {
    typealias Request = (path: String, body: String, mark: String)

    let shop: ProcessShop
    let charge: String
    let webviewSession: String

    static func open(_ shop: ProcessShop, _ server: ServerProcess) async throws -> ProcessTill {
        try shop.rows(MerchantKey.insertion)
        let crossing = try await shop.place(on: server)
        let answer = try await shop.client.purchase(crossing, server.url)
        #expect(answer.status == 200)
        let charge = try shop.value("SELECT object_id FROM payment_object WHERE kind = 'charge'")
        return ProcessTill(
            shop: shop,
            charge: charge,
            webviewSession: crossing.webviewSession
        )
    }

    func request(_ call: PaymentCrashTests.Call) -> Request {
        switch call {
        case .capture: ("/v1/charges/\(charge)/capture", MerchantKey.amount(9_000), "m")
        case .refund: ("/v1/charges/\(charge)/refunds", MerchantKey.amount(4_000), "m")
        case .charge: ("/v1/sessions/\(webviewSession)/charges", MerchantKey.amount(5_000), "m")
        }
    }

    /// Brings the order to where the call is possible.
    func prepare(_ call: PaymentCrashTests.Call, _ server: ServerProcess) async throws {
        switch call {
        case .capture: break
        case .refund:
            #expect(
                try await send(("/v1/charges/\(charge)/capture", MerchantKey.amount(9_000), "c"), server).status == 200
            )
        case .charge: #expect(try await send(("/v1/charges/\(charge)/cancel", "{}", "c"), server).status == 200)
        }
    }

    func send(_ request: Request, _ server: ServerProcess) async throws -> InboundResponse {
        try await shop.ask(server.url, "POST", request.path, Array(request.body.utf8), mark: request.mark)
    }

    func endLeases() throws {
        try shop.rows("UPDATE payment_operation SET lease_until = now()")
        try shop.rows("UPDATE api_idempotency SET lease_until = now()")
    }

    /// Every call of a kind that the provider has answered.
    func calls(_ call: PaymentCrashTests.Call) async throws -> [SimulatorControl.Call] {
        try await shop.control.calls(call.rawValue)
    }

    func crash(
        at moment: PaymentCrashTests.Moment,
        _ request: Request,
        _ call: PaymentCrashTests.Call,
        _ server: ServerProcess
    ) async throws {
        switch moment {
        case .begun: try await crashBeforeSending(request, server)
        case .sent:
            try await shop.control.fault(call.rawValue, ["delayMs": 60000, "ifAbandoned": "atOnce"])
            shop.reactor.startTask { _ = try? await self.send(request, server) }
            try await shop.waitUntilFaultsAreMet()
            try await server.program.end(.kill)
            try await poll(shop.reactor, "the effect") {
                try await calls(call).contains(where: \.isEffective) ? () : nil
            }
        case .answered:
            try await shop.kill(server, asItUpdates: "payment_operation", when: "NEW.state <> 'open'") {
                _ = try await self.send(request, server)
            }
            #expect(try await calls(call).map(\.isEffective) == [true])
        case .settled:
            shop.reactor.startTask { _ = try? await self.send(request, server) }
            try await poll(shop.reactor, "settled") {
                try shop.value("SELECT count(*) FROM api_idempotency WHERE idem = 'm' AND answer IS NOT NULL") == "1"
                    ? () : nil
            }
            try await server.program.end(.kill)
        }
    }

    /// The provider of this server takes connections and reads nothing.
    private func crashBeforeSending(_ request: Request, _ server: ServerProcess) async throws {
        try await server.program.end(.kill)
        let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0), reusePort: false)
        let settings = shop.settings
        shop.settings["SALLYPORT_PROVIDER_API_URL"] = "http://\(try Socket.localAddress(listener))"
        let deaf = try await shop.startServer()
        shop.settings = settings
        shop.reactor.startTask { _ = try? await self.send(request, deaf) }
        try await poll(shop.reactor, "begun") {
            try shop.value("SELECT count(*) FROM payment_operation_open") == "1" ? () : nil
        }
        try await deaf.program.end(.kill)
    }
}
