import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// Complete may succeed before the bank has spoken.
///
/// The shop does not ask for that; should a session allow it all the same, an order is paid only once its charge is.
@Suite struct `A payment that the bank decides later` {
    /// A buyer who has agreed, with a session that was changed behind the shop's back.
    private func placed(_ shop: Shop, card: String) async throws -> (Shopper, ReturnFields) {
        var shopper = try await shop.shopper()
        shopper.tab.buyer.card = card
        let confirm = try await shopper.toConfirm()
        let form = try #require(confirm.form(to: "/confirm_order")).fields
        let browser = shopper.tab.browser
        let sent = try await browser.request("POST", "/confirm_order", form: form)
        let processing = try #require(sent[field: "location"])
        let session = "\(shop.simulator.url)/v2/checkoutSessions/\(processing.suffix(36))"
        let patch = #"{"paymentDetails":{"paymentIntent":"Authorize","canHandlePendingAuthorization":true}}"#
        try await shop.control.post("options", ["signature": "off"])
        let patched = try await browser.request(
            "PATCH",
            session,
            fields: [("content-type", "application/json")],
            body: Array(patch.utf8)
        )
        #expect(patched.status == 200, "\(patched.text)")
        try await shop.control.post("options", ["signature": "strict"])
        return (shopper, try ReturnFields(try await browser.open(processing)))
    }

    @Test func `is paid only once the charge says so`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-0701")
            for _ in 0..<2 {
                let early = try await shopper.purchase(link)
                #expect(early.status == 409, "\(early.text)")
                #expect(early.error == "purchase_in_progress")
                #expect(early[field: "retry-after"] != nil)
                #expect(try shop.state(of: shopper.flow) == "purchasing")
                #expect(try shop.value("SELECT state || ' ' || events FROM merchant_order") == "payment_pending 1")
                // The second look finds a session that is completed already.
                try shop.endLease(of: shopper.flow)
            }
            try await shop.control.advanceClock(by: "PT31S")
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await shop.effectiveCompletions() == 1)
            #expect(try shop.value("SELECT state || ' ' || events FROM merchant_order") == "paid 2")
        }
    }

    @Test func `is refused when the bank refuses`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-4354")
            #expect(try await shopper.purchase(link).status == 409)
            try shop.endLease(of: shopper.flow)
            try await shop.control.advanceClock(by: "PT31S")
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 402, "\(answer.text)")
            #expect(answer.error == "payment_declined")
            #expect(try shop.state(of: shopper.flow) == "declined")
        }
    }

    @Test func `stays under way while the charge cannot be read`() async throws {
        try await withShop { shop in
            let (shopper, link) = try await placed(shop, card: "card-0701")
            try await shop.control.fault("GetCharge", count: 1, ["status": 403])
            #expect(try await shopper.purchase(link).status == 409)
            try await shop.control.advanceClock(by: "PT31S")
            try shop.endLease(of: shopper.flow)
            #expect(try await shopper.purchase(link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }
}
