import Foundation
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// Many purchases at once by a merchant's program, while a fifth of all calls to the provider fail in one way or another.
///
/// `SALLYPORT_PURCHASES` says how many; a thousand take about two minutes of two busy cores.
@Suite struct `A thousand purchases through faults` {
    private static let count = Int(ProcessInfo.processInfo.environment["SALLYPORT_PURCHASES"] ?? "") ?? 100
    private static let atOnce = 64

    /// What goes wrong, each with one call in twenty-five: together a fifth of all.
    private static let faults: [JSONValue] = [
        ["resetBefore": true], ["resetAfter": true], ["status": 500, "reasonCode": "InternalServerError"],
        ["truncateBody": true], ["htmlBody": true, "status": 502],
    ]

    @Test func `come to one charge each, and both ledgers agree`() async throws {
        var options = ShopOptions.merchants(["merchant.requests_per_minute": "1000000"])
        options.loops = 2
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            for (number, action) in Self.faults.enumerated() {
                try await shop.control.fault(nil, count: 1_000_000, chance: (40, "seed-\(number)"), action)
            }
            let outcomes = try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<Self.atOnce {
                    group.addTask {
                        var charges: [String] = []
                        for number in stride(from: worker, to: Self.count, by: Self.atOnce) {
                            charges.append(try await Purchase(shop, merchant, number).run())
                        }
                        return charges
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.count == Self.count)
            #expect(Set(outcomes).count == Self.count, "each session has a charge of its own")
            try await shop.control.clearFaults()
            try await compare(shop, outcomes)
        }
    }

    /// Our ledger against the provider's objects.
    private func compare(_ shop: Shop, _ charges: [String]) async throws {
        let rows = try shop.rows("SELECT object_id, state, amount FROM payment_object WHERE kind = 'charge'")
        #expect(rows.count == Self.count)
        #expect(Set(rows.compactMap { $0[0] }) == Set(charges))
        let state = try await Self.get(shop.simulator.url + "/_sim/state")
        #expect(state["counts"]?["charges"]?.integer == Self.count)
        #expect(state["counts"]?["chargePermissions"]?.integer == Self.count)
        for row in rows {
            let object = try await Self.get("\(shop.simulator.url)/_sim/objects/\(row[0] ?? "")")
            let text = object.description
            #expect(text.contains("\"state\":\"\(row[1] ?? "")\""), "\(row) \(text)")
            #expect(text.contains("\"amount\":\"\(row[2] ?? "")\""), "\(row) \(text)")
        }
        let paid = try shop.value("SELECT count(*) FROM merchant_order WHERE state = 'paid'")
        #expect(paid == "\(Self.count)")
        #expect(try shop.value("SELECT count(*) FROM event WHERE type = 'session.paid'") == "\(Self.count)")
        #expect(try shop.value("SELECT count(*) FROM webview_session_purchase") == "0")
    }

    private static func get(_ url: String) async throws -> JSONValue {
        let answer = try await ClientLoop.shared.send(OutboundRequest(method: "GET", url: url))
        return try JSONParser.parse(answer.body)
    }
}

/// One purchase: a merchant's server and a buyer who both try again.
private struct Purchase: Sendable {
    private let shop: Shop
    private let merchant: MerchantClient
    private let number: Int

    /// As often as a patient buyer does; with a fifth of the calls failing, nobody comes near it.
    private static let patience = 30

    init(_ shop: Shop, _ merchant: MerchantClient, _ number: Int) {
        self.shop = shop
        self.merchant = merchant
        self.number = number
    }

    /// Buys.
    ///
    /// - Returns: The charge.
    func run() async throws -> String {
        let order = MerchantClient.order([JSONMember("reference", .string("N-\(number)"))])
        let session = try await merchant.open(order, word: "open-\(number)")
        let back = try await cross(session)
        for _ in 0..<Self.patience {
            let reply = try await merchant.complete(session, back)
            if reply.status == 200, let charge = reply["charges"]?.elements.first?["id"]?.text { return charge }
            guard [202, 409, 503].contains(reply.status) else { throw Stuck(where: "complete", reply.text) }
            // Whoever held the lease has gone.
            try shop.endLease(of: session.id)
        }
        throw Stuck(where: "complete", session.id)
    }

    /// The buyer's tab, from the launch to the way back.
    private func cross(_ session: OpenSession) async throws -> String {
        let tab = shop.tab()
        var page = try await tab.open(session.url)
        for _ in 0..<Self.patience {
            if let link = page.link("purchase_link") { return link }
            if page.form(to: "/checkout/start") != nil {
                page = try await tab.choose(page)
            } else if page.form(to: "/confirm_order") != nil {
                page = try await tab.agree(page)
            } else if page.url.text.contains("amazonCheckoutSessionId=") {
                page = try await tab.browser.open(page.url.text)
            } else {
                page = try await tab.browser.open("/confirm_order")
            }
        }
        throw Stuck(where: "the tab", "\(page.status) \(page.url.text)")
    }

    private struct Stuck: Error {
        let place: String
        let detail: String

        init(where place: String, _ detail: String) {
            self.place = place
            self.detail = detail
        }
    }
}
