import EventIO
import IntegrationKit
import Primitives
import StrictJSON
import Testing

/// A merchant's server that is asked for the postage, and the shop that asks it.
private struct AskedShop: Sendable {
    let shop: Shop
    let server: WebhookReceiver
    let merchant: MerchantClient

    /// Opens a session whose postage is to be asked for, and lets its buyer choose an address.
    func choose(
        _ email: String = "tokyo@example.test",
        _ changes: [JSONMember] = []
    ) async throws -> (session: OpenSession, tab: SecureTab, page: Page) {
        let postage = JSONMember("postage", ["callback": .string(server.url + "?order=1")])
        let session = try await merchant.open(MerchantClient.order([postage] + changes))
        var tab = shop.tab()
        tab.buyer.email = email
        let page = try await tab.choose(try await tab.open(session.url))
        return (session, tab, page)
    }

    /// Lets the buyer of a session choose another address of the same book.
    func change(_ checkout: String, to address: String, _ tab: SecureTab) async throws -> Page {
        let change = "/ap/select?amazonCheckoutSessionId=\(checkout)&changeAction=changeAddress"
        let page = try await tab.browser.open(shop.simulator.url + change)
        var form = try #require(page.form(to: "/ap/select"))
        form.fields.removeAll { $0.0 == "addressId" || $0.0 == "action" }
        form.fields += [("addressId", address), ("action", "continue")]
        return try await tab.browser.submit(form, on: page)
    }

    /// The checkout session of a webview session.
    func checkout(_ session: OpenSession) throws -> String {
        try shop.value("SELECT order_ref FROM webview_session WHERE webview_session_id = $1", [session.id])
    }

    /// Postage and total as the interface tells them.
    func sums(_ session: OpenSession) async throws -> [String?] {
        let amounts = try await merchant.get("/v1/sessions/\(session.id)")["amounts"]
        return ["postage", "total"].map { amounts?[$0]?["amount"]?.text }
    }

    static let undeliverable = Array(
        #"{"undeliverable":{"ja":"離島にはお送りできません。","en":"We do not ship to <b>islands."}}"#.utf8
    )

    static func answer(_ amount: String, _ currency: String = "JPY") -> [UInt8] {
        Array(#"{"amount":{"amount":"\#(amount)","currencyCode":"\#(currency)"}}"#.utf8)
    }
}

private func withAskedShop(
    _ settings: [String: String] = [:],
    key number: Int = 1,
    _ body: @escaping @Sendable (AskedShop) async throws -> Void
) async throws {
    let server = try await WebhookReceiver.start()
    defer { server.stop() }
    server.behave(.answer(AskedShop.answer("540")))
    let origin = "http://127.0.0.1:\(server.port)"
    var all = [
        "merchant.postage_origins": origin, "merchant.secret_file": try HookedShop.secretPath(),
        "webhooks.allow_loopback": "true",
    ]
    all.merge(settings) { _, own in own }
    try await withShop(.merchants(all)) { shop in
        let (exit, output) = try await shop.runCommand(["postage-key", origin, "--number", "\(number)"])
        #expect(exit == .code(0), "\(output)")
        server.trust(try #require(try JSONParser.parse(Array(output.utf8.dropLast()))["secret"]?.text))
        try await body(AskedShop(shop: shop, server: server, merchant: try await shop.merchant()))
    }
}

@Suite("A merchant's postage", .tags(.database))
struct PostageTests {
    @Test func `is in the tax of its rate from when it is known`() async throws {
        try await withAskedShop { asked in
            let yen = MerchantClient.yen
            let line: JSONValue = ["id": "tea", "name": "Tea", "unitPrice": yen(589), "quantity": 1, "taxRate": 8]
            let (session, _, page) = try await asked.choose(
                "tokyo@example.test",
                [
                    JSONMember("tax", .null), JSONMember("pricesIncludeTax", true), JSONMember("lines", [line]),
                    JSONMember("postage", ["callback": .string(asked.server.url + "?order=1"), "taxRate": 10]),
                ]
            )
            func rate(_ rate: Int, _ taxable: Int, _ amount: Int) -> JSONValue {
                ["rate": JSONValue(rate), "taxable": yen(taxable), "amount": yen(amount)]
            }
            let opened = session.reply["amounts"]
            #expect(opened?["taxes"] == [rate(8, 589, 43)] && opened?["tax"] == yen(43), "\(session.reply.text)")
            let read = try await asked.merchant.get("/v1/sessions/\(session.id)")["amounts"]
            #expect(read?["taxes"] == [rate(10, 540, 49), rate(8, 589, 43)] && read?["tax"] == yen(92))
            #expect(read?["total"] == yen(1_129))
            for part in ["¥540 <small>(incl. tax ¥49)", "¥589 <small>(incl. tax ¥43)", "¥1,129"] {
                #expect(page.text.contains(part), "\(part): \(page.text)")
            }
            let body = String(decoding: try #require(asked.server.received.first).body, as: UTF8.self)
            #expect(body.contains(#""subtotal":{"amount":"589","currencyCode":"JPY"},"pricesIncludeTax":true"#))
        }
    }

    @Test func `is asked for once the buyer has an address, and goes all the way`() async throws {
        try await withAskedShop { asked in
            let (session, tab, confirm) = try await asked.choose()
            #expect(session.reply.text.contains(#""postage":null,"total":null"#))
            let question = try #require(asked.server.received.first)
            #expect(question.isGenuine)
            #expect(question.id.hasPrefix("ask_"))
            #expect(
                String(decoding: question.body, as: UTF8.self) == """
                    {"sessionId":"\(session.id)","currency":"JPY","subtotal":{"amount":"2400","currencyCode":"JPY"},\
                    "pricesIncludeTax":false,"address":{"countryCode":"JP","stateOrRegion":"東京都","postalCode":"153-0064",\
                    "prefecture":"JP-13"}}
                    """
            )
            #expect(confirm.text.contains("3,180"))
            #expect(try await asked.sums(session) == ["540", "3180"])
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            let paid = try await asked.merchant.complete(session, back)
            #expect(paid["amounts"]?["total"]?["amount"]?.text == "3180", "\(paid.text)")
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "3180")
            #expect(try await asked.sums(session) == ["540", "3180"])
            #expect(
                try asked.shop.rows("SELECT postage, total FROM merchant_order") == [["540", "3180"]]
            )
            #expect(asked.server.received.count == 1)
        }
    }

    @Test(
        arguments: [
            ("another currency", .answer(AskedShop.answer("5.40", "USD"))), ("an error", .status(500)),
            ("an empty answer", .status(200)), ("a success without an amount", .status(204)),
            ("another success", .answer(AskedShop.answer("540"), status: 201)),
            ("a redirect", .answer(AskedShop.answer("540"), status: 307, to: "/hook")), ("silence", .hang),
            ("an answer that comes too late", .answer(AskedShop.answer("540"), after: .seconds(5))),
            ("a hang-up", .close), ("half an answer", .half),
            ("bad JSON", .answer(Array("540".utf8))),
            ("a refusal without a sentence", .answer(Array(#"{"undeliverable":{}}"#.utf8))),
            ("too much", .answer(AskedShop.answer("540") + Array(repeating: 0x20, count: 8_192))),
            ("more than a charge can be", .answer(AskedShop.answer("999999999"))),
        ] as [(String, WebhookReceiver.Mode)]
    )
    func `is never guessed`(name: String, mode: WebhookReceiver.Mode) async throws {
        try await withAskedShop { asked in
            asked.server.behave(mode)
            let (session, tab, page) = try await asked.choose()
            #expect(page.status == 503, "\(name)")
            #expect(page.error == "postage_failed", "\(name): \(page.text)")
            #expect(page[field: "retry-after"] == "5")
            #expect(asked.server.received.count == 1, "nothing is tried twice, and no redirect is followed")
            #expect(try asked.shop.state(of: session.id) == "opened")
            #expect(try await asked.sums(session) == [nil, nil])
            asked.server.behave(.answer(AskedShop.answer("800")))
            let way = try #require(page.tags("a").compactMap { $0["href"] }.first { $0 == "/button" })
            let confirm = try await tab.choose(try await tab.browser.open(way))
            #expect(confirm.text.contains("3,440"))
        }
    }

    @Test(
        arguments: [
            ("the status alone", .status(422)),
            ("a page of a framework", .answer(Array(repeating: 0x20, count: 8_192), status: 422)),
        ] as [(String, WebhookReceiver.Mode)]
    )
    func `that the merchant refuses for an address is told as such, with a way to another one`(
        name: String,
        mode: WebhookReceiver.Mode
    ) async throws {
        try await withAskedShop { asked in
            asked.server.behave(mode)
            let (session, tab, page) = try await asked.choose()
            #expect(page.status == 409 && page.error == "address_not_priced", "\(name): \(page.text)")
            #expect(page[field: "retry-after"] == nil)
            #expect(try asked.shop.state(of: session.id) == "opened")
            #expect(try await asked.sums(session) == [nil, nil])
            asked.server.behave(.answer(AskedShop.answer("800")))
            let way = try #require(page.tags("a").first { $0["id"] == "retry" }?["href"])
            let confirm = try await tab.choose(try await tab.browser.open(way))
            #expect(confirm.text.contains("3,440"))
        }
    }

    @Test
    func `that the merchant does not offer for an address is told in its words, and another address puts it right`()
        async throws
    {
        try await withAskedShop { asked in
            asked.server.behave(.answer(AskedShop.undeliverable))
            let (session, tab, page) = try await asked.choose()
            #expect(page.status == 200, "\(page.error)")
            #expect(page.text.contains("We do not ship to &lt;b&gt;islands."), "\(page.text)")
            #expect(!page.text.contains("離島"))
            #expect(page.form(to: "/confirm_order") == nil && page.link("purchase_link") == nil)
            #expect(page.link("change_address") == "/button")
            #expect(try asked.shop.state(of: session.id) == "reviewed")
            #expect(try await asked.sums(session) == [nil, nil])
            let sealed =
                "SELECT count(*) FROM webview_session_private WHERE position(convert_to('islands', 'UTF8') IN sealed) > 0"
            #expect(try asked.shop.value(sealed) == "0")
            // The merchant may say otherwise the next time.
            let again = try await tab.browser.open("/confirm_order")
            #expect(again.text.contains("We do not ship"))
            let checkout = try asked.checkout(session)
            asked.server.behave(.answer(AskedShop.answer("800")))
            let changed = try await asked.change(checkout, to: "okinawa", tab)
            #expect(changed.text.contains("3,440") && !changed.text.contains("We do not ship"), "\(changed.text)")
            let back = try #require(try await tab.agree(changed).link("purchase_link"))
            let paid = try await asked.merchant.complete(session, back)
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "3440", "\(paid.text)")
            #expect(asked.server.received.count == 2)
        }
    }

    @Test func `that the merchant does not offer for an address can be agreed to by no page of before`() async throws {
        try await withAskedShop { asked in
            let (session, tab, old) = try await asked.choose()
            asked.server.behave(.answer(AskedShop.undeliverable))
            let refused = try await asked.change(try asked.checkout(session), to: "okinawa", tab)
            #expect(refused.text.contains("We do not ship"), "\(refused.text)")
            #expect(try await tab.agree(old).error == "not_priced")
            var bare = try #require(old.form(to: "/confirm_order"))
            bare.fields.removeAll { $0.0 == "totalPrice" }
            #expect(try await tab.browser.submit(bare, on: old).error == "not_priced")
            #expect(try asked.shop.state(of: session.id) == "reviewed")
            #expect(try await asked.sums(session) == [nil, nil])
            let ticket = bare["secureWebviewSessionId"] ?? ""
            let checkout = try asked.checkout(session)
            let link = "https://shop.example.com/?secureWebviewSessionId=\(ticket)&orderReferenceId=\(checkout)"
            #expect(try await asked.merchant.complete(session, link).code == "not_ready")
            #expect(try await asked.shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }

    @Test func `that the merchant takes back for another window's address is told where the buyer agrees`() async throws
    {
        try await withAskedShop { asked in
            let (session, tab, old) = try await asked.choose()
            try await asked.shop.chooseElsewhere("okinawa", session.id, tab)
            asked.server.behave(.answer(AskedShop.undeliverable))
            #expect(try await tab.agree(old).error == "price_changed")
            #expect(try asked.shop.state(of: session.id) == "reviewed")
            #expect(try await tab.browser.open("/confirm_order").text.contains("We do not ship"))
            #expect(try await tab.agree(old).error == "not_priced")
        }
    }

    @Test func `does not change when the buyer comes back, and does with another address`() async throws {
        try await withAskedShop { asked in
            let (session, tab, confirm) = try await asked.choose()
            let checkout = try asked.checkout(session)
            asked.server.behave(.answer(AskedShop.answer("700")))
            let again = try await tab.browser.open("/confirm_order?amazonCheckoutSessionId=\(checkout)")
            #expect(again.text.contains("3,180"))
            #expect(asked.server.received.count == 1)
            let changed = try await asked.change(checkout, to: "hokkaido", tab)
            #expect(changed.text.contains("3,340"), "\(changed.text)")
            #expect(asked.server.received.count == 2)
            #expect(String(decoding: asked.server.received[1].body, as: UTF8.self).contains("北海道"))
            // The page of before, which some other window still shows.
            let stale = try await tab.agree(confirm)
            #expect(stale.error == "price_changed")
            #expect(try asked.shop.state(of: session.id) == "reviewed")
            #expect(try await tab.agree(changed).link("purchase_link") != nil)
        }
    }

    @Test func `is asked for anew where the buyer agrees on a page of before another window's choice`() async throws {
        try await withAskedShop { asked in
            let (session, tab, old) = try await asked.choose()
            try await asked.shop.chooseElsewhere("okinawa", session.id, tab)
            asked.server.behave(.status(500))
            #expect(try await tab.agree(old).error == "postage_failed")
            #expect(try asked.shop.state(of: session.id) == "reviewed")
            asked.server.behave(.answer(AskedShop.answer("900")))
            #expect(try await tab.agree(old).error == "price_changed")
            #expect(try await asked.sums(session) == ["900", "3540"])
            #expect(String(decoding: asked.server.received[2].body, as: UTF8.self).contains("沖縄県"))
            let new = try await tab.browser.open("/confirm_order")
            let back = try #require(try await tab.agree(new).link("purchase_link"))
            let paid = try await asked.merchant.complete(session, back)
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "3540", "\(paid.text)")
        }
    }

    @Test func `is asked for anew with another checkout session`() async throws {
        try await withAskedShop { asked in
            let (session, tab, _) = try await asked.choose()
            let before = try asked.checkout(session)
            asked.server.behave(.answer(AskedShop.answer("700")))
            let confirm = try await tab.choose(try await tab.browser.open("/button"))
            #expect(try asked.checkout(session) != before)
            #expect(confirm.text.contains("3,340"), "\(confirm.text)")
            #expect(asked.server.received.count == 2)
        }
    }

    @Test func `stays as it is when the merchant cannot say what another address costs`() async throws {
        try await withAskedShop { asked in
            let (session, tab, _) = try await asked.choose()
            asked.server.behave(.status(500))
            let failed = try await asked.change(try asked.checkout(session), to: "okinawa", tab)
            #expect(failed.error == "postage_failed")
            #expect(try await asked.sums(session) == ["540", "3180"])
        }
    }

    @Test func `is asked for once more at the second opening of profile strict, before the buyer agrees`() async throws
    {
        try await withAskedShop(["profile": "strict"]) { asked in
            // RFC 7636, appendix B.
            let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            let order = MerchantClient.order([
                JSONMember("codeChallenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                JSONMember("postage", ["callback": .string(asked.server.url)]),
            ])
            let session = try await asked.merchant.open(order)
            let tab = asked.shop.tab()
            let first = try #require(try await tab.cross(session.url).link("purchase_link"))
            let met = try await asked.merchant.complete(session, first, verifier: verifier)
            asked.server.behave(.answer(AskedShop.answer("600")))
            let again = try await tab.open(try #require(met["launch"]?["url"]?.text, "\(met.text)"))
            #expect(again.text.contains("3,240"), "\(again.text)")
            let back = try #require(try await tab.agree(again).link("purchase_link"))
            let paid = try await asked.merchant.complete(session, back, verifier: verifier)
            #expect(paid["amounts"]?["total"]?["amount"]?.text == "3240", "\(paid.text)")
            #expect(asked.server.received.count == 2)
        }
    }

    @Test func `is not asked for with the session of another buyer`() async throws {
        try await withAskedShop { asked in
            let (first, _, _) = try await asked.choose()
            let (_, other, _) = try await asked.choose("hokkaido@example.test")
            let count = asked.server.received.count
            let foreign = try asked.checkout(first)
            let page = try await other.browser.open("/confirm_order?amazonCheckoutSessionId=\(foreign)")
            #expect(page.error == "order_mismatch")
            #expect(asked.server.received.count == count)
        }
    }

    @Test func `is not asked for at an origin that has been taken out of the settings`() async throws {
        try await withAskedShop { asked in
            let postage = JSONMember("postage", ["callback": .string(asked.server.url)])
            let session = try await asked.merchant.open(MerchantClient.order([postage]))
            try asked.shop.rows(
                "UPDATE webview_session SET terms = replace(terms::text, '127.0.0.1', 'localhost')::json"
            )
            let tab = asked.shop.tab()
            #expect(try await tab.choose(try await tab.open(session.url)).error == "postage_failed")
            #expect(asked.server.received.isEmpty)
        }
    }

    @Test func `is asked for at agreed origins only`() async throws {
        try await withAskedShop { asked in
            let port = asked.server.port
            for callback in ["https://evil.example/p", "http://127.0.0.1:1/p", "http://localhost:\(port)/p"] {
                let order = MerchantClient.order([JSONMember("postage", ["callback": .string(callback)])])
                let refused = try await asked.merchant.post("/v1/sessions", order)
                #expect(refused.status == 422 && refused.code == "postage_callback_not_allowed", "\(refused.text)")
                #expect(refused.field == "postage.callback")
            }
            let amount = MerchantClient.yen(540)
            for (postage, field) in [
                (["callback": "http://evil.example/p"], "postage.callback"), ([:], "postage"),
                (["amount": amount, "callback": .string(asked.server.url)], "postage"),
                (["callback": .string(asked.server.url), "more": 1], "postage.more"),
            ] as [(JSONValue, String)] {
                let refused = try await asked.merchant.post(
                    "/v1/sessions",
                    MerchantClient.order([JSONMember("postage", postage)])
                )
                #expect(refused.status == 400 && refused.field == field, "\(refused.text)")
            }
            #expect(asked.server.received.isEmpty)
        }
    }

    @Test(arguments: zip([7, 1, 2], [true, true, false]))
    func `is asked for under both keys while they change, and under no other`(number: Int, isKnown: Bool) async throws {
        try await withAskedShop(["merchant.postage_keys": "7, 1"], key: number) { asked in
            _ = try await asked.choose()
            #expect(asked.server.received.map(\.isGenuine) == [isKnown])
        }
    }
}
