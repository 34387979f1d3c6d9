import IntegrationKit
import StrictJSON
import Testing

/// What is not paid: other buyers' links, other facts than were signed, and what the provider refuses.
@Suite struct `A finalize that is refused` {
    private typealias Half = (session: MobileSession, link: String)

    /// Two buyers of one merchant, each with a session of their own, each back from the provider.
    private func twoBuyers(_ shop: Shop, _ merchant: MerchantClient) async throws -> (Half, Half) {
        let first = try await merchant.openApp()
        let second = try await merchant.openApp()
        return (
            (first, try await MobileApp(shop).checkOut(first.launch)),
            (second, try await MobileApp(shop).checkOut(second.launch))
        )
    }

    @Test func `is that of a mailed link`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (attacker, victim) = try await twoBuyers(shop, merchant)
            // The victim's app opens the attacker's link: the merchant's server names the victim's session, and its proof.
            let mailed = try await merchant.finalize(victim.session, attacker.link)
            #expect(mailed.status == 422 && mailed.code == "order_mismatch", "\(mailed.text)")
            #expect(try shop.state(of: victim.session.id) == "issued", "a link that anybody can send ends nothing")
            // A server that goes by the link alone has the wrong proof: then the attacker's session ends.
            let fixed = try await merchant.finalize(attacker.session, attacker.link, proof: victim.session.proof)
            #expect(fixed.status == 403 && fixed.code == "proof_mismatch", "\(fixed.text)")
            #expect(try shop.state(of: attacker.session.id) == "revoked")
            let late = try await merchant.finalize(attacker.session, attacker.link)
            #expect(late.status == 410 && late.code == "session_over", "\(late.text)")
            #expect(try await shop.control.calls("FinalizeCheckoutSession").isEmpty)
            #expect(try await merchant.finalize(victim.session, victim.link).status == 200)
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `with a wrong proof ends nothing while it is not known whose session it is`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (attacker, victim) = try await twoBuyers(shop, merchant)
            let unknown = "com.example.shop://paid?amazonCheckoutSessionId=11111111-2222-3333-4444-555555555555"
            for link in [attacker.link, unknown] {
                let refused = try await merchant.finalize(victim.session, link, proof: attacker.session.proof)
                #expect(refused.status == 422 && refused.code == "order_mismatch", "\(refused.text)")
            }
            for (proof, link, code) in [
                ("swp_x", victim.link, "proof_mismatch"), (victim.session.proof, "no session at all", "order_mismatch"),
            ] {
                let refused = try await merchant.finalize(victim.session, link, proof: proof)
                #expect(refused.code == code, "\(refused.text)")
            }
            #expect(try shop.state(of: victim.session.id) == "issued")
            #expect(try await merchant.finalize(victim.session, victim.link).status == 200)
        }
    }

    @Test func `of a session that is paid tells nothing without its proof`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (first, second) = try await twoBuyers(shop, merchant)
            #expect(try await merchant.finalize(first.session, first.link).status == 200)
            let foreign = try await merchant.finalize(first.session, first.link, proof: second.session.proof)
            #expect(foreign.status == 403 && foreign["buyer"] == nil, "\(foreign.text)")
            let other = try await merchant.finalize(first.session, second.link)
            #expect(other.status == 422, "\(other.text)")
            #expect(try shop.state(of: first.session.id) == "authorized")
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `is that of another address, before anything is sent`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp(MerchantClient.appOrder(MerchantClient.delivery))
            let link = try await MobileApp(shop).checkOut(session.launch)
            let moved = MerchantClient.delivery.members.filter { $0.name != "addressLine1" }
            for address in [JSONValue.object(moved + [JSONMember("addressLine1", "千代田区丸の内9-9-9")]), nil] {
                let refused = try await merchant.finalize(session, link, address)
                #expect(refused.status == 422 && refused.field == "shippingAddress", "\(refused.text)")
            }
            #expect(try await shop.control.calls("FinalizeCheckoutSession").isEmpty)
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).status == 200)
            let plain = try await merchant.openApp()
            let back = try await MobileApp(shop).checkOut(plain.launch)
            let added = try await merchant.finalize(plain, back, MerchantClient.delivery)
            #expect(added.status == 422, "nothing was to be sent")
        }
    }

    @Test func `is that of another amount`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            try await shop.control.post("options", ["signature": "off"])
            let cheap = session.launch["payloadJSON"]?.text?.replacing("3180", with: "3") ?? ""
            let link = try await MobileApp(shop).checkOut(session.launch.replacing("payloadJSON", .string(cheap)))
            try await shop.control.post("options", ["signature": "strict"])
            let refused = try await merchant.finalize(session, link)
            #expect(refused.status == 422 && refused.code == "order_mismatch", "\(refused.text)")
            #expect(try shop.state(of: session.id) == "issued")
            let right = try await MobileApp(shop).checkOut(session.launch)
            #expect(try await merchant.finalize(session, right).status == 200)
        }
    }

    @Test func `changes with the amount at the provider, after it was read`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            let link = try await MobileApp(shop).checkOut(session.launch)
            try await shop.control.fault("FinalizeCheckoutSession", ["status": 409, "reasonCode": "AmountMismatch"])
            let refused = try await merchant.finalize(session, link)
            #expect(refused.status == 503 && refused.code == "provider_failed", "\(refused.text)")
            #expect(try shop.state(of: session.id) == "placed")
            #expect(try await merchant.finalize(session, link).status == 200)
            let keys = try await shop.control.calls("FinalizeCheckoutSession").compactMap(\.key)
            #expect(Set(keys).count == 2, "a refusal ends the attempt, and the next one has a key of its own")
        }
    }

    @Test(arguments: ["card-3434", "card-3064"])
    func `by the bank leaves the buyer another try`(card: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            var app = MobileApp(shop)
            app.buyer.card = card
            let declined = try await merchant.finalize(session, try await app.checkOut(session.launch))
            #expect(declined.status == 402 && declined.code == "payment_declined", "\(declined.text)")
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "declined")
            // The same payload starts another checkout.
            app.buyer.card = "card-1111"
            let paid = try await merchant.finalize(session, try await app.checkOut(session.launch))
            #expect(paid.status == 200, "\(paid.text)")
            let events = try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
            #expect(events == ["session.declined", "session.paid", "charge.authorized"])
        }
    }

    @Test func `before the buyer is through may come again`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            let link = try await MobileApp(shop).checkOut(session.launch)
            try await shop.control.fault(
                "FinalizeCheckoutSession",
                ["status": 422, "reasonCode": "InvalidCheckoutSessionStatus"]
            )
            let early = try await merchant.finalize(session, link)
            #expect(early.status == 409 && early.code == "not_ready", "\(early.text)")
            #expect(try await merchant.finalize(session, link).status == 200)
            #expect(try await shop.effectiveFinalizations() == 1)
        }
    }

    @Test func `after a cancellation, an expiry or a long while does nothing`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let cancelled = try await merchant.openApp()
            let link = try await MobileApp(shop).checkOut(cancelled.launch)
            #expect(try await merchant.post("/v1/sessions/\(cancelled.id)/cancel", [:]).status == 200)
            #expect(try await merchant.finalize(cancelled, link).status == 410)
            let late = try await merchant.openApp()
            let back = try await MobileApp(shop).checkOut(late.launch)
            let span = try shop.value(
                "SELECT idle_until = absolute_until AND absolute_until > now() + '1 h' FROM webview_session WHERE webview_session_id = $1",
                [late.id]
            )
            #expect(span == "t", "an app gives no sign of life before the end")
            try shop.rows(
                "UPDATE webview_session SET absolute_until = now(), idle_until = now() WHERE webview_session_id = $1",
                [late.id]
            )
            let over = try await merchant.finalize(late, back)
            #expect(over.status == 410 && over.code == "session_over", "\(over.text)")
            #expect(try await merchant.get("/v1/sessions/\(late.id)")["state"]?.text == "expired")
            #expect(try await shop.control.calls("FinalizeCheckoutSession").isEmpty)
        }
    }

    @Test func `races with a cancellation, and one of them wins`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            for _ in 0..<6 {
                let session = try await merchant.openApp()
                let link = try await MobileApp(shop).checkOut(session.launch)
                let before = try await shop.effectiveFinalizations()
                async let finalizing = merchant.finalize(session, link)
                async let cancelling = merchant.post("/v1/sessions/\(session.id)/cancel", [:])
                let (paid, cancelled) = try await (finalizing, cancelling)
                let state = try shop.value(
                    "SELECT state FROM merchant_order WHERE webview_session_id = $1",
                    [session.id]
                )
                #expect(state == (paid.status == 200 ? "paid" : "canceled"), "\(paid.text) \(cancelled.text)")
                #expect((cancelled.status == 200) == (state == "canceled"), "\(cancelled.text)")
                #expect(try await shop.effectiveFinalizations() - before == (state == "paid" ? 1 : 0))
            }
        }
    }

    @Test(arguments: ["standard", "strict"])
    func `needs the verifier where the session was opened with a challenge`(_ profile: String) async throws {
        try await withShop(.merchants(["profile": profile])) { shop in
            let merchant = try await shop.merchant()
            // The pair of RFC 7636, appendix B.
            let challenge = JSONMember("codeChallenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
            let session = try await merchant.openApp(MerchantClient.appOrder(nil, [challenge]))
            let link = try await MobileApp(shop).checkOut(session.launch)
            let missing = try await merchant.finalize(session, link)
            #expect(missing.status == 403, "\(missing.text)")
            let verifier = JSONMember("codeVerifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
            #expect(try await merchant.finalize(session, link, nil, [verifier]).status == 200)
        }
    }
}

extension JSONValue {
    /// The object with another value for one member.
    func replacing(_ name: String, _ value: JSONValue) -> JSONValue {
        .object(members.filter { $0.name != name } + [JSONMember(name, value)])
    }
}
