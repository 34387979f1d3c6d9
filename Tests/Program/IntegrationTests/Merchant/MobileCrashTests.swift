import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("Crashes during a finalize", .tags(.database, .slow), .serialized)
struct MobileCrashTests {
    enum Moment: String, CaseIterable, Sendable {
        /// The attempt is written down, the provider has heard nothing.
        case begun
        /// The call has reached the provider, which carries it out although nobody waits for the answer any more.
        case sent
        /// The provider has answered, the answer is not stored.
        case answered
        /// The answer is stored, the merchant may not have it.
        case settled

        /// Whether a look at the provider alone can end it.
        var isTaken: Bool { self == .sent || self == .answered }
    }

    enum Rescue: String, CaseIterable, Sendable {
        case merchant, recoveryTask
    }

    @Test(arguments: Moment.allCases, Rescue.allCases)
    func `pays once, whoever finds out`(moment: Moment, rescue: Rescue) async throws {
        try await withProcessShop { shop in
            shop.settings["SALLYPORT_MERCHANT_API"] = "true"
            shop.settings["SALLYPORT_MERCHANT_APP_LINKS"] = "com.example.shop:,https://shop.example.com"
            try await shop.turnAutopilotOn()
            let first = try await shop.startServer()
            let till = try await MobileTill.open(shop, first)
            try await till.crash(at: moment, first)
            #expect(try till.state() == (moment == .settled ? "authorized" : "purchasing"))
            if rescue == .recoveryTask { try till.endLease() }
            let server = try await shop.startServer()
            if rescue == .merchant, moment != .settled {
                #expect(try await till.finalize(server).status == 202, "the lease of the dead one still runs")
                try till.endLease()
            }
            if rescue == .recoveryTask, moment != .settled {
                // What was never sent is looked at and left alone.
                let end = moment.isTaken ? "settle authorized" : "lapse lapsed"
                try await poll(shop.reactor, "recovery") { try till.trail().contains(end) ? () : nil }
                #expect(try till.state() == (moment.isTaken ? "authorized" : "purchasing"))
            }
            let answer = try await till.insist(server)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            let calls = try await till.calls()
            #expect(calls.filter(\.isEffective).count == 1)
            #expect(Set(calls.map(\.key)).count == 1, "one attempt, one key")
            #expect(try till.events() == ["session.paid", "charge.authorized"])
            // Who died with the answer can ask for the address.
            let buyer = try await till.buyer(server)
            #expect(buyer.status == 200, "\(String(decoding: buyer.body, as: UTF8.self))")
            #expect(try JSONParser.parse(buyer.body)["email"]?.text == "tokyo@example.test")
        }
    }
}

/// What a merchant's server knows of one session of its app, of a shop of processes.
private struct MobileTill {
    let shop: ProcessShop
    let webviewSession: String
    let finalization: JSONValue

    /// A session whose buyer is back in the app.
    static func open(_ shop: ProcessShop, _ server: ServerProcess) async throws -> MobileTill {
        try shop.rows(MerchantKey.insertion)
        let order = MerchantClient.appOrder(MerchantClient.delivery)
        let opened = try await shop.ask(server.url, "POST", "/v1/sessions", order.bytes, mark: "m")
        let session = try JSONParser.parse(opened.body)
        let webviewSession = try #require(session["id"]?.text, "\(String(decoding: opened.body, as: UTF8.self))")
        let launch = try #require(session["launch"]?["mobile"])
        let curl = CurlClient(shop.reactor, configuration: .patient)
        let link = try await checkOut(launch, shop, curl)
        return MobileTill(
            shop: shop,
            webviewSession: webviewSession,
            finalization: [
                "checkoutSessionId": .string(MerchantClient.checkoutSession(of: link)),
                "appProof": session["launch"]?["appProof"] ?? .null, "shippingAddress": MerchantClient.delivery,
            ]
        )
    }

    /// Follows the simulator's pages, which answer themselves, to the link into the app.
    private static func checkOut(_ launch: JSONValue, _ shop: ProcessShop, _ curl: CurlClient) async throws -> String {
        let origin = shop.simulator.url
        var form = launch.members.map { "\($0.name)=\(encoded($0.value.text ?? "true"))" }
        form += ["checkoutLanguage=ja_JP", "placement=Cart"]
        var request = OutboundRequest(
            method: "POST",
            url: origin + "/checkout/start",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(form.joined(separator: "&").utf8)
        )
        var cookies = ""
        for _ in 0..<20 {
            let answer = try await curl.send(request.patient)
            let location = try #require(answer.first("location"), "\(String(decoding: answer.body, as: UTF8.self))")
            guard location.hasPrefix("/") || location.hasPrefix(origin) else { return location }
            if let cookie = answer.first("set-cookie") { cookies = String(cookie.prefix { $0 != ";" }) }
            let next = location.hasPrefix("/") ? origin + location : location
            request = OutboundRequest(method: "GET", url: next, fields: [("Cookie", cookies)])
        }
        return ""
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x30 && byte <= 0x39)
                ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte])
        }.joined()
    }

    func finalize(_ server: ServerProcess) async throws -> InboundResponse {
        try await shop.ask(server.url, "POST", path + "/finalize", finalization.bytes, mark: "m")
    }

    func buyer(_ server: ServerProcess) async throws -> InboundResponse {
        try await shop.ask(server.url, "GET", path + "/buyer")
    }

    private var path: String { "/v1/sessions/" + webviewSession }

    /// Asks until the payment is not under way any more.
    func insist(_ server: ServerProcess) async throws -> InboundResponse {
        var answer = try await finalize(server)
        let patience = Patience()
        while answer.status == 202, patience.isLeft {
            try endLease()
            answer = try await finalize(server)
        }
        return answer
    }

    func endLease() throws {
        try shop.rows("UPDATE webview_session SET lease_until = now() - interval '1 second' WHERE state = 'purchasing'")
    }

    func state() throws -> String {
        try shop.state(of: webviewSession)
    }

    func trail() throws -> [String] {
        try shop.trail(of: webviewSession)
    }

    func events() throws -> [String] {
        try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
    }

    /// Every finalize that the provider has answered.
    func calls() async throws -> [SimulatorControl.Call] {
        try await shop.control.calls("FinalizeCheckoutSession")
    }

    // MARK: Crashes

    func crash(at moment: MobileCrashTests.Moment, _ server: ServerProcess) async throws {
        switch moment {
        case .begun: try await crashBeforeSending(server)
        case .sent:
            try await shop.control.fault("FinalizeCheckoutSession", ["delayMs": 60000, "ifAbandoned": "atOnce"])
            shop.reactor.startTask { _ = try? await self.finalize(server) }
            try await shop.waitUntilFaultsAreMet()
            try await server.program.end(.kill)
            try await poll(shop.reactor, "the effect") { try await calls().contains(where: \.isEffective) ? () : nil }
        case .answered:
            try await shop.kill(server, asItUpdates: "webview_session", when: "NEW.state = 'authorized'") {
                _ = try await self.finalize(server)
            }
            #expect(try await calls().map(\.isEffective) == [true])
        case .settled:
            shop.reactor.startTask { _ = try? await self.finalize(server) }
            try await poll(shop.reactor, "settled") { try state() == "authorized" ? () : nil }
            try await server.program.end(.kill)
        }
    }

    /// The provider of this server reads the session for it, and hears nothing of the finalize.
    private func crashBeforeSending(_ server: ServerProcess) async throws {
        try await shop.control.fault("FinalizeCheckoutSession", count: 100, ["resetBefore": true])
        shop.reactor.startTask { _ = try? await self.finalize(server) }
        try await poll(shop.reactor, "begun") { try state() == "purchasing" ? () : nil }
        try await server.program.end(.kill)
        try await shop.control.clearFaults()
    }
}
