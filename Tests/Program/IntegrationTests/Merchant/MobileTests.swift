import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// Sessions that a merchant's app starts by itself, with the provider's library, and that the merchant's server finalizes.
@Suite struct `A session of a merchant's app` {
    @Test(arguments: [false, true], ["manual", "automatic"])
    func `goes from the signed payload to the payment`(_ isDelivered: Bool, _ capture: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let address = isDelivered ? MerchantClient.delivery : nil
            let order = MerchantClient.appOrder(address, [JSONMember("captureMode", .string(capture))])
            let session = try await merchant.openApp(order)
            #expect(session.launch["productType"]?.text == (isDelivered ? "PayAndShip" : "PayOnly"))
            #expect(session.launch["sandbox"]?.flag == true && session.launch["ledgerCurrency"]?.text == "JPY")
            let payload = try JSONParser.parse(Array((session.launch["payloadJSON"]?.text ?? "").utf8))
            let names = payload["merchantMetadata"]
            #expect(names?["merchantReferenceId"]?.text == "A-1001")
            #expect(names?["customInformation"]?.text?.hasPrefix(session.id + " ") == true)
            let link = try await MobileApp(shop).checkOut(session.launch)
            #expect(link.hasPrefix("com.example.shop://paid?cart=7&amazonCheckoutSessionId="), "\(link)")
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "created")

            let paid = try await merchant.finalize(session, link, address)
            #expect(paid.status == 200, "\(paid.text)")
            // What is captured with the payment is read at once: the answer may know of it or not.
            let isManual = capture == "manual"
            #expect(paid["state"]?.text == "paid" || !isManual && paid["state"]?.text == "captured")
            #expect(paid["client"]?.text == "mobileApp")
            #expect(paid["checkoutSessionId"]?.text == MerchantClient.checkoutSession(of: link))
            #expect(paid["buyer"]?["email"]?.text == "tokyo@example.test", "\(paid.text)")
            #expect(paid["buyer"]?["address"]?["addressLine1"]?.text == (isDelivered ? "千代田区丸の内1-1-1" : nil))
            let charge = try #require(paid["charges"]?.elements.first)
            #expect(charge["amount"]?["amount"]?.text == "3180")
            let states = isManual ? ["authorized"] : ["capture_initiated", "captured"]
            #expect(states.contains(charge["state"]?.text ?? ""))
            let events = try shop.rows("SELECT type FROM event ORDER BY sequence").compactMap { $0[0] }
            let paidAndMore = [["session.paid", isManual ? "charge.authorized" : "charge.captured"]]
            #expect((isManual ? paidAndMore : [["session.paid"]] + paidAndMore).contains(events))
            #expect(
                try shop.trail(of: session.id) == [
                    "issue issued", "arrive arrived", "purchase begin", "settle authorized",
                ]
            )

            let again = try await merchant.finalize(session, link, address)
            #expect(again.status == 200 && again["id"]?.text == session.id)
            if isManual { #expect(again.text == paid.text) }
            #expect(try await shop.effectiveFinalizations() == 1)
            #expect(try await shop.control.calls("GetCheckoutSession").count == 1, "a repeat asks nobody")
        }
    }

    @Test func `has its charge captured and given back as any other`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            let paid = try await merchant.finalize(session, try await MobileApp(shop).checkOut(session.launch))
            let charge = try #require(paid["charges"]?.elements.first?["id"]?.text)
            let captured = try await merchant.post(
                "/v1/charges/\(charge)/capture",
                ["amount": MerchantClient.yen(3_180)]
            )
            #expect(captured.status == 200, "\(captured.text)")
            let refund = try await merchant.post("/v1/charges/\(charge)/refunds", ["amount": MerchantClient.yen(180)])
            #expect(refund.status == 201, "\(refund.text)")
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "part_refunded")
        }
    }

    @Test func `is opened once for sixteen twins, with the same signature for each`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await merchant.openApp(word: "twin").reply.text }
                }
                var all: Set<String> = []
                for try await text in group { all.insert(text) }
                return all
            }
            #expect(texts.count == 1)
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "1")
            let fresh = try await merchant.openApp()
            let other = try await merchant.openApp()
            #expect(fresh.launch["signature"] != other.launch["signature"])
        }
    }

    @Test func `is paid once however often and at once it is finalized`() async throws {
        var options = ShopOptions.merchants()
        options.processes = 2
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp(MerchantClient.appOrder(MerchantClient.delivery))
            let link = try await MobileApp(shop).checkOut(session.launch)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let patience = Patience()
                        var status = 503
                        // Nothing was done: the other process has held the row for too long.
                        while status == 503, patience.isLeft {
                            status = try await merchant.finalize(session, link, MerchantClient.delivery).status
                        }
                        return status
                    }
                }
                var all: [Int] = []
                for try await status in group { all.append(status) }
                return all
            }
            #expect(statuses.contains(200) && statuses.allSatisfy { $0 == 200 || $0 == 202 }, "\(statuses)")
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).status == 200)
            #expect(try await shop.control.calls("FinalizeCheckoutSession").count == 1)
            #expect(try shop.value("SELECT count(*) FROM event WHERE type = 'session.paid'") == "1")
        }
    }

    @Test func `has no tab`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp()
            #expect(session.reply["launch"]?["ticket"] == nil && session.reply["launch"]?["url"] == nil)
            let issue = try await shop.browser().fetch(
                "/secureWebviewSession",
                [("client", "mobileApp"), ("hd8", "1")]
            )
            #expect(issue.status == 400)
            let link = try await MobileApp(shop).checkOut(session.launch)
            let complete = try await merchant.post(
                "/v1/sessions/\(session.id)/complete",
                [
                    "returnTicket": .string("swc_" + String(repeating: "A", count: 64)),
                    "orderReferenceId": .string(MerchantClient.checkoutSession(of: link)),
                    "appProof": .string(session.proof),
                ]
            )
            #expect(complete.code == "order_mismatch")
            let site = try await merchant.open()
            let foreign = try await merchant.post(
                "/v1/sessions/\(site.id)/finalize",
                [
                    "checkoutSessionId": .string(MerchantClient.checkoutSession(of: link)),
                    "appProof": .string(site.proof),
                ]
            )
            #expect(foreign.status == 404, "only the session of an app is finalized")
        }
    }

    @Test func `keeps the address and the proof out of the database`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.openApp(MerchantClient.appOrder(MerchantClient.delivery))
            let link = try await MobileApp(shop).checkOut(session.launch)
            #expect(try await merchant.finalize(session, link, MerchantClient.delivery).status == 200)
            let dump = try shop.dump()
            for text in ["丸の内", "花子", "0312345678", "tokyo@example.test", session.proof] {
                let hex = Array(text.utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                #expect(!dump.contains(text) && !dump.contains(hex), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("mobile", JSONValue.null, "mobile"), ("client", "iosApp", "mobile"),
            ("returnUrl", "https://shop.example.com/paid", "returnUrl"),
            (
                "mobile",
                [
                    "resultUrl": "javascript:alert(1)", "cancelUrl": "com.example.shop:x",
                    "errorUrl": "com.example.shop:x",
                ],
                "mobile.resultUrl"
            ),
            (
                "mobile",
                [
                    "resultUrl": "com.example.shop:x", "cancelUrl": "http://shop.example.com/",
                    "errorUrl": "com.example.shop:x",
                ],
                "mobile.cancelUrl"
            ),
            ("mobile", ["resultUrl": "com.example.shop:x", "cancelUrl": "com.example.shop:x"], "mobile.errorUrl"),
            (
                "mobile",
                ["resultUrl": "com.example.shop:x", "cancelUrl": "com.example.shop:x", "errorUrl": "com.evil.shop:x"],
                "mobile.errorUrl"
            ),
            (
                "mobile",
                [
                    "resultUrl": "https://evil.example/", "cancelUrl": "com.example.shop:x",
                    "errorUrl": "com.example.shop:x",
                ],
                "mobile.resultUrl"
            ),
        ] as [(String, JSONValue, String)]
    )
    func `needs links that the operator allows`(member: String, value: JSONValue, field: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let order = MerchantClient.appOrder(nil, [JSONMember(member, value)])
            let reply = try await merchant.post("/v1/sessions", order)
            #expect((400...422).contains(reply.status) && reply.field == field, "\(reply.text)")
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "0")
        }
    }

    @Test func `lets the bank decide later only where the money is taken later`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let pending = JSONMember("canHandlePendingAuthorization", .bool(true))
            let mobile = JSONMember("mobile", .object(MerchantClient.appLinks + [pending]))
            let order = MerchantClient.appOrder(nil, [mobile, JSONMember("captureMode", "automatic")])
            let reply = try await merchant.post("/v1/sessions", order)
            #expect(reply.status == 400 && reply.field == "mobile.canHandlePendingAuthorization", "\(reply.text)")
        }
    }

    @Test(arguments: ["postalCode", "phoneNumber", "addressLine1", "county"])
    func `needs an address to which something can be sent`(part: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            var members = MerchantClient.delivery.members.filter { $0.name != part }
            if part == "county" { members += [JSONMember("county", "C"), JSONMember("district", "D")] }
            let reply = try await merchant.post("/v1/sessions", MerchantClient.appOrder(.object(members)))
            let field = "mobile.shippingAddress." + (part == "county" ? "district" : part)
            #expect(reply.status == 400 && reply.field == field, "\(reply.text)")
        }
    }
}

extension Shop {
    /// How many finalizations took effect at the provider.
    func effectiveFinalizations() async throws -> Int {
        try await control.calls("FinalizeCheckoutSession").filter(\.isEffective).count
    }
}
