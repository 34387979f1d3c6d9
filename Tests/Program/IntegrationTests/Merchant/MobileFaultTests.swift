import IntegrationKit
import Program
import StrictJSON
import TestKit
import Testing

/// A finalize whose answer is lost, late or wrong: paid once, and nothing else becomes of the session before that is known.
@Suite("A finalize under a fault that lasts", .tags(.database, .slow))
struct MobileFaultTests {
    private static var options: ShopOptions {
        var options = ShopOptions.merchants()
        options.jobPause = .milliseconds(2)
        return options
    }

    static let mishaps: [(name: String, action: JSONValue, isHarmless: Bool)] = [
        ("lost before the effect", ["resetBefore": true], false),
        ("lost after the effect", ["resetAfter": true], false),
        ("500", ["status": 500, "reasonCode": "InternalServerError"], false),
        ("502 in HTML", ["status": 502, "htmlBody": true], false),
        ("503", ["status": 503, "reasonCode": "ServiceUnavailable"], false),
        ("429", ["status": 429, "reasonCode": "TooManyRequests"], true), ("cut answer", ["truncateBody": true], false),
        ("no JSON", ["badJson": true], false), ("success in HTML", ["htmlBody": true], false),
    ]

    /// Whoever brings a purchase under way to its end.
    enum Rescue: String, CaseIterable, Sendable {
        case merchant, recovery
    }

    @Test(arguments: mishaps.indices, Rescue.allCases)
    func `pays once`(index: Int, rescue: Rescue) async throws {
        let mishap = Self.mishaps[index]
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp(MerchantClient.appOrder(MerchantClient.delivery))
            let link = try await MobileApp(shop).checkOut(session.launch)
            try await shop.control.fault("FinalizeCheckoutSession", count: 3, mishap.action)
            let first = try await merchant.finalize(session, link, MerchantClient.delivery)
            // What was cut, but may be read in the session itself, is paid at once.
            #expect([200, 202, 503].contains(first.status), "\(mishap.name): \(first.text)")
            if first.status == 503 { #expect(mishap.isHarmless, "\(mishap.name)") }
            try await shop.control.clearFaults()
            if first.status == 202 {
                #expect(first["state"]?.text == "paying")
                let cancel = try await merchant.post("/v1/sessions/\(session.id)/cancel", [:])
                #expect(cancel.code == "purchase_in_progress", "\(cancel.text)")
                if rescue == .recovery {
                    try await TimeTravel(shop).passWithoutProvider(.seconds(60), step: .seconds(60))
                }
                try shop.endLease(of: session.id)
            }
            let answer = try await insist(shop, merchant, session, link)
            #expect(answer.status == 200, "\(mishap.name): \(answer.text)")
            #expect(try await shop.effectiveFinalizations() == 1)
            let keys = Set(
                try await shop.control.calls("FinalizeCheckoutSession").filter(\.isEffective).compactMap(\.key)
            )
            #expect(keys.count == 1)
            #expect(try shop.value("SELECT count(*) FROM event WHERE type = 'session.paid'") == "1")
        }
    }

    /// Asks again as long as the payment is under way; the lease of whoever is gone is over.
    private func insist(
        _ shop: Shop,
        _ merchant: MerchantClient,
        _ session: MobileSession,
        _ link: String
    ) async throws -> MerchantReply {
        let patience = Patience()
        while patience.isLeft {
            let answer = try await merchant.finalize(session, link, MerchantClient.delivery)
            guard answer.status == 202 else { return answer }
            // The recovery may have it for a moment.
            await shop.broker.nextJobRuns()
        }
        throw Stubborn()
    }

    private struct Stubborn: Error {}

    /// A session whose finalize may or may not arrive.
    private func stranded(_ shop: Shop, _ merchant: MerchantClient) async throws -> (MobileSession, String) {
        let session = try await merchant.openApp(MerchantClient.appOrder(MerchantClient.delivery))
        let link = try await MobileApp(shop).checkOut(session.launch)
        try await shop.control.fault("FinalizeCheckoutSession", count: 3, ["resetBefore": true])
        let first = try await merchant.finalize(session, link, MerchantClient.delivery)
        #expect(first.status == 202 && first.page[field: "retry-after"] != nil, "\(first.text)")
        return (session, link)
    }

    @Test func `is only looked at without the merchant, whose repeat sends the same again`() async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let (session, link) = try await stranded(shop, merchant)
            let sent = try await shop.control.calls("FinalizeCheckoutSession").count
            try await TimeTravel(shop).advance(by: .seconds(60))
            #expect(try shop.trail(of: session.id).suffix(2) == ["recover recover", "lapse lapsed"])
            #expect(try shop.state(of: session.id) == "purchasing")
            #expect(try await shop.control.calls("FinalizeCheckoutSession").count == sent)
            // The lease was given back: the merchant need not wait for it.
            let answer = try await insist(shop, merchant, session, link)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await shop.effectiveFinalizations() == 1)
            #expect(
                try shop.value("SELECT attempt FROM webview_session WHERE webview_session_id = $1", [session.id]) == "1"
            )
        }
    }

    @Test func `stays under way when its repeat is refused for the state of the moment`() async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let (session, link) = try await stranded(shop, merchant)
            let sent = try await shop.control.calls("FinalizeCheckoutSession").count
            try await TimeTravel(shop).advance(by: .seconds(60))
            let refusal: JSONValue = ["status": 422, "reasonCode": "InvalidCheckoutSessionStatus"]
            try await shop.control.fault("FinalizeCheckoutSession", refusal)
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).status == 202)
            #expect(try await shop.control.calls("FinalizeCheckoutSession").count == sent + 1)
            #expect(try shop.state(of: session.id) == "purchasing", "the first try may still arrive")
            try await TimeTravel(shop).advance(by: .seconds(60))
            #expect(try await insist(shop, merchant, session, link).status == 200)
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `takes no other checkout session while it is not known what became of the first`() async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let (session, link) = try await stranded(shop, merchant)
            let other = try await MobileApp(shop).checkOut(session.launch)
            for _ in 0..<2 {
                let refused = try await merchant.finalize(session, other, MerchantClient.delivery)
                #expect(refused.status == 422 && refused.code == "order_mismatch", "\(refused.text)")
                try await TimeTravel(shop).advance(by: .seconds(60))
            }
            #expect(try await insist(shop, merchant, session, link).status == 200)
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `is paid by what arrives late, though a look has found nothing`() async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let (session, link) = try await stranded(shop, merchant)
            try await TimeTravel(shop).advance(by: .seconds(60))
            #expect(try shop.state(of: session.id) == "purchasing")
            // What the first try had sent is carried out now.
            try await shop.finalizeLate(MerchantClient.checkoutSession(of: link))
            try await TimeTravel(shop).advance(by: .seconds(200))
            #expect(try shop.state(of: session.id) == "authorized")
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).status == 200)
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `ends with the provider's session where the merchant does not come back`() async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let (session, link) = try await stranded(shop, merchant)
            let sent = try await shop.control.calls("FinalizeCheckoutSession").count
            try await TimeTravel(shop).advance(by: .seconds(23 * 3_600), step: .seconds(900))
            #expect(try shop.state(of: session.id) == "purchasing")
            try await TimeTravel(shop).advance(by: .seconds(3 * 3_600), step: .seconds(900))
            // Declined for want of a buyer, and at an end once its own time was over.
            #expect(try shop.trail(of: session.id).suffix(2) == ["settle declined", "sweep expired"])
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).code == "session_over")
            #expect(try await shop.control.calls("FinalizeCheckoutSession").count == sent)
            #expect(try shop.rows("SELECT 1 FROM webview_session_purchase").isEmpty)
        }
    }

    @Test(arguments: [("card-0701", 200), ("card-4354", 402)])
    func `is pending until the bank has spoken`(card: String, end: Int) async throws {
        try await withShop(Self.options) { shop in
            let merchant = try await shop.merchant()
            let pending = JSONMember("canHandlePendingAuthorization", .bool(true))
            let mobile = JSONMember("mobile", .object(MerchantClient.appLinks + [pending]))
            let session = try await merchant.openApp(MerchantClient.appOrder(nil, [mobile]))
            var app = MobileApp(shop)
            app.buyer.card = card
            let link = try await app.checkOut(session.launch)
            let early = try await merchant.finalize(session, link)
            #expect(early.status == 202 && early["state"]?.text == "payment_pending", "\(early.text)")
            // It may come to nothing, so that is no answer for good.
            let cancelled = try await merchant.post("/v1/sessions/\(session.id)/cancel", [:])
            #expect(cancelled.status == 409 && cancelled.code == "purchase_in_progress", "\(cancelled.text)")
            try await TimeTravel(shop).advance(by: .seconds(61))
            let late = try await merchant.finalize(session, link)
            #expect(late.status == end, "\(late.text)")
            #expect(try await shop.effectiveFinalizations() == 1)
            let events = try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
            let last = end == 200 ? ["session.paid", "charge.authorized"] : ["session.declined"]
            #expect(events == ["session.payment_pending"] + last)
        }
    }
}

extension Shop {
    /// Carries out what an earlier call had sent.
    fileprivate func finalizeLate(_ checkout: String) async throws {
        try await control.post("options", ["signature": "off"])
        let body: JSONValue = [
            "chargeAmount": MerchantClient.yen(3_180), "paymentIntent": "Authorize",
            "shippingAddress": MerchantClient.delivery, "canHandlePendingAuthorization": false,
        ]
        let sent = try await browser().request(
            "POST",
            "\(simulator.url)/v2/checkoutSessions/\(checkout)/finalize",
            fields: [("content-type", "application/json")],
            body: body.bytes
        )
        #expect(sent.status == 200, "\(sent.text)")
        try await control.post("options", ["signature": "strict"])
    }
}
