import IntegrationKit
import StrictJSON
import Testing

/// Orders that go to some addresses only, and orders that go to none.
@Suite("The delivery of a merchant's order", .tags(.database))
struct DeliveryTests {
    private static func restrictions(_ kind: String, _ region: JSONValue) -> JSONValue {
        ["type": .string(kind), "restrictions": ["JP": region]]
    }

    private static let notToOkinawa = restrictions("NotAllowed", ["statesOrRegions": ["沖縄県"], "zipCodes": ["06*"]])

    /// What Amazon knows of the checkout of a session.
    private static func checkout(_ shop: Shop, _ session: OpenSession) async throws -> JSONValue {
        let id = try shop.value("SELECT order_ref FROM webview_session WHERE webview_session_id = $1", [session.id])
        return try await shop.control.object(id)
    }

    @Test(
        arguments: [
            ("Allowed", ["statesOrRegions": ["東京都", "大阪府"]], "okinawa"),
            ("Allowed", ["zipCodes": ["153-0064"]], "hokkaido"),
            ("NotAllowed", ["statesOrRegions": ["沖縄県"], "zipCodes": ["06*"]], "hokkaido"),
            ("NotAllowed", ["zipCodes": ["9000015"]], "okinawa"),
        ] as [(String, JSONValue, String)]
    )
    func `may be restricted to some addresses, which are the ones that Amazon offers`(
        kind: String,
        region: JSONValue,
        other: String
    ) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let sent = Self.restrictions(kind, region)
            let session = try await merchant.open(MerchantClient.order([JSONMember("deliveryRestrictions", sent)]))
            #expect(session.reply["deliveryRestrictions"] == sent && session.reply["delivery"] == true)
            let tab = shop.tab()
            let button = try await tab.open(session.url)
            let start = try #require(button.form(to: "/checkout/start"))
            try await shop.control.nextBuyer(address: other)
            #expect(try await tab.browser.submit(start, on: button).status == 422, "Amazon offers \(other)")
            let again = try await tab.browser.open("/button")
            let confirm = try await tab.choose(again)
            #expect(confirm.text.contains("3,180"), "\(confirm.text)")
            let known = try await Self.checkout(shop, session)["deliverySpecifications"]?["addressRestrictions"]
            #expect(known?["type"] == .string(kind) && known?["restrictions"]?["JP"] == region, "\(known ?? .null)")
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid["state"]?.text == "paid", "\(paid.text)")
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["deliveryRestrictions"] == sent && read["delivery"] == true)
            let told =
                "SELECT DISTINCT data ->> 'delivery', data -> 'deliveryRestrictions' ->> 'type' FROM event"
            #expect(try shop.rows(told) == [["true", kind]])
        }
    }

    @Test func `is in Japan also where only some addresses are excluded`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let order = MerchantClient.order([JSONMember("deliveryRestrictions", Self.notToOkinawa)])
            for (email, isServed) in [("abroad@example.test", false), ("tokyo@example.test", true)] {
                let session = try await merchant.open(order)
                var tab = shop.tab()
                tab.buyer.email = email
                let page = try await tab.choose(try await tab.open(session.url))
                #expect(page.status == 200)
                #expect((page.form(to: "/confirm_order") != nil) == isServed, "\(page.text)")
                #expect(page.text.contains("The shop does not deliver to this address.") != isServed)
                #expect(page.link("change_address") == "/button")
                let amounts = try await merchant.get("/v1/sessions/\(session.id)")["amounts"]
                #expect(amounts?["total"]?["amount"]?.text == "3180", "\(amounts ?? .null)")
                let total = "SELECT coalesce(total::text, '-') FROM webview_session WHERE webview_session_id = $1"
                #expect(try shop.value(total, [session.id]) == (isServed ? "3180" : "-"))
            }
        }
    }

    @Test(arguments: ["OKINAWA-KEN", "おきなわけん"])
    func `goes to no excluded prefecture, however it is spelled`(spelling: String) async throws {
        let address = spelling == "おきなわけん" ? "kana" : "latin"
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let order = MerchantClient.order([JSONMember("deliveryRestrictions", Self.notToOkinawa)])
            let session = try await merchant.open(order)
            let tab = shop.tab()
            let button = try await tab.open(session.url)
            try await shop.control.nextBuyer("spellings@example.test", address: address)
            let page = try await tab.browser.submit(try #require(button.form(to: "/checkout/start")), on: button)
            #expect(page.status == 200 && page.form(to: "/confirm_order") == nil, "\(page.text)")
            #expect(page.text.contains("The shop does not deliver to this address."))
        }
    }

    @Test(arguments: ["site", "iosApp", "androidApp"])
    func `may be none: then nobody asks for an address, and there is no postage`(client: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let changes = [JSONMember("delivery", false), JSONMember("postage", .null)]
            let session = try await merchant.open(MerchantClient.order(client: client, changes))
            #expect(session.reply["delivery"] == false)
            #expect(session.reply.text.contains(#""deliveryRestrictions":null"#))
            let sums = session.reply["amounts"]
            #expect(sums?["postage"] == MerchantClient.yen(0) && sums?["total"] == MerchantClient.yen(2_640))
            let tab = shop.tab()
            let button = try await tab.open(session.url)
            let start = try #require(button.form(to: "/checkout/start"))
            #expect(start["productType"] == "PayOnly" && start["payloadJSON"]?.contains("deliverySpec") == false)
            #expect(button.text.contains("2,640") && !button.text.contains("Shipping"), "\(button.text)")
            let confirm = try await tab.choose(button)
            for part in ["Deliver to", "Shipping", "change_address", "目黒区"] {
                #expect(!confirm.text.contains(part), "\(part): \(confirm.text)")
            }
            #expect(confirm.text.contains("2,640") && confirm.link("change_payment") == "/button")
            let known = try await Self.checkout(shop, session)
            #expect(
                known["productType"]?.text == "PayOnly" && known["shippingAddress"]?["countryCode"]?.text == nil,
                "\(known)"
            )
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "2640", "\(paid.text)")
            #expect(paid["buyer"]?["address"] == .object([]) && paid["buyer"]?["name"]?.text != nil, "\(paid.text)")
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["delivery"] == false && read["amounts"]?["total"] == MerchantClient.yen(2_640))
            let buyer = try await merchant.get("/v1/sessions/\(session.id)/buyer")
            #expect(buyer.status == 200 && buyer["address"] == .object([]), "\(buyer.text)")
        }
    }

    @Test(
        arguments: [
            ([JSONMember("delivery", false)], "postage"),
            (
                [
                    JSONMember("delivery", false), JSONMember("postage", .null),
                    JSONMember("deliveryRestrictions", notToOkinawa),
                ],
                "deliveryRestrictions"
            ),
            ([JSONMember("delivery", 1)], "delivery"), ([JSONMember("postage", .null)], "postage"),
            ([JSONMember("deliveryRestrictions", ["type": "Allowed"])], "deliveryRestrictions.restrictions"),
            (
                [JSONMember("deliveryRestrictions", restrictions("Some", ["zipCodes": ["1*"]]))],
                "deliveryRestrictions.type"
            ),
            (
                [JSONMember("deliveryRestrictions", restrictions("Allowed", [:]))],
                "deliveryRestrictions.restrictions.JP"
            ),
            (
                [JSONMember("deliveryRestrictions", restrictions("Allowed", ["statesOrRegions": ["沖縄"]]))],
                "deliveryRestrictions.restrictions.JP.statesOrRegions[0]"
            ),
            (
                [JSONMember("deliveryRestrictions", restrictions("Allowed", ["statesOrRegions": []]))],
                "deliveryRestrictions.restrictions.JP.statesOrRegions"
            ),
            (
                [JSONMember("deliveryRestrictions", restrictions("Allowed", ["zipCodes": ["1530064", "15*4"]]))],
                "deliveryRestrictions.restrictions.JP.zipCodes[1]"
            ),
            (
                [JSONMember("deliveryRestrictions", ["type": "Allowed", "restrictions": ["US": [:]]])],
                "deliveryRestrictions.restrictions.JP"
            ),
            (
                [
                    JSONMember(
                        "deliveryRestrictions",
                        ["type": "Allowed", "restrictions": ["JP": ["zipCodes": ["1*"]], "US": [:]]]
                    )
                ],
                "deliveryRestrictions.restrictions.US"
            ),
        ] as [([JSONMember], String)]
    )
    func `is described by members that fit together`(changes: [JSONMember], field: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let refused = try await merchant.post("/v1/sessions", MerchantClient.order(changes))
            #expect(refused.status == 400 && refused.field == field, "\(refused.text)")
        }
    }

    @Test func `of an app with Amazon's own library is said by its address alone`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            for (member, value) in [("delivery", false), ("deliveryRestrictions", Self.notToOkinawa)]
                as [(String, JSONValue)]
            {
                var changes = [JSONMember(member, value)]
                if member == "delivery" { changes.append(JSONMember("postage", .null)) }
                let refused = try await merchant.post("/v1/sessions", MerchantClient.appOrder(nil, changes))
                #expect(refused.status == 400 && refused.field == member, "\(refused.text)")
            }
            let digital = try await merchant.openApp(MerchantClient.appOrder())
            #expect(digital.reply["delivery"] == false)
        }
    }
}
