import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// Orders that cost something else than their lines, and orders as large as they may be.
@Suite("A merchant's order with adjustments", .tags(.database))
struct AdjustmentTests {
    private static func adjustment(_ name: String, _ yen: Int) -> JSONValue {
        ["name": .string(name), "amount": MerchantClient.yen(yen)]
    }

    private static let adjustments = JSONMember(
        "adjustments",
        [adjustment("Points <b>&", -1_000), adjustment("ギフト包装", 300)]
    )

    @Test func `shows them to the buyer, charges the sum and tells them back`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([Self.adjustments]))
            let sent =
                #"[{"name":"Points <b>&","amount":{"amount":"-1000","currencyCode":"JPY"}},"#
                + #"{"name":"ギフト包装","amount":{"amount":"300","currencyCode":"JPY"}}]"#
            #expect(session.reply["adjustments"]?.description == sent, "\(session.reply.text)")
            #expect(session.reply["amounts"]?["total"]?["amount"]?.text == "2480")
            let tab = shop.tab()
            let confirm = try await tab.choose(try await tab.open(session.url))
            for part in ["Points &lt;b&gt;&amp;", "1,000", "ギフト包装", "¥240", "2,480"] {
                #expect(confirm.text.contains(part), "\(part): \(confirm.text)")
            }
            #expect(!confirm.text.contains("<b>&"))
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "2480", "\(paid.text)")
            #expect(paid["adjustments"]?.description == sent)
            let read = try await merchant.get("/v1/sessions/\(session.id)")
            #expect(read["amounts"]?["tax"]?["amount"]?.text == "240")
            #expect(read["amounts"]?["total"]?["amount"]?.text == "2480")
            let completions = try await shop.control.calls("CompleteCheckoutSession").filter(\.isEffective)
            #expect(completions.map(\.amount) == ["2480"])
            let columns = "subtotal, tax, postage, total, adjustments ->> 1"
            #expect(
                try shop.rows("SELECT \(columns) FROM merchant_order")
                    == [["2400", "240", "540", "2480", #"{"name":"ギフト包装","amount":300}"#]]
            )
        }
    }

    @Test(arguments: [false, true])
    func `may have its postage paid by points, with the same sums everywhere`(includesTax: Bool) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let yen = MerchantClient.yen
            var changes = [JSONMember("adjustments", [Self.adjustment("Points", -2_900)])]
            if includesTax {
                let line: JSONValue = [
                    "id": "tea", "name": "Tea", "unitPrice": yen(2_640), "quantity": 1, "taxRate": 8,
                ]
                changes += [
                    JSONMember("tax", .null), JSONMember("pricesIncludeTax", true), JSONMember("lines", [line]),
                ]
            }
            let session = try await merchant.open(MerchantClient.order(changes))
            let rates: [JSONValue] = includesTax ? [["rate": 10, "taxable": yen(280), "amount": yen(25)]] : []
            func check(_ amounts: JSONValue?) {
                #expect(amounts?["postage"] == yen(540) && amounts?["total"] == yen(280), "\(amounts ?? .null)")
                #expect((amounts?["taxes"]?.elements ?? []) == rates && amounts?["tax"] == yen(includesTax ? 25 : 240))
            }
            check(session.reply["amounts"])
            let tab = shop.tab()
            let confirm = try await tab.choose(try await tab.open(session.url))
            for part in ["2,900", "540", "¥280"] { #expect(confirm.text.contains(part), "\(confirm.text)") }
            #expect(confirm.text.contains("¥25)") == includesTax)
            let result = try await tab.agree(confirm)
            #expect(result.text.contains("280"))
            let paid = try await merchant.complete(session, try #require(result.link("purchase_link")))
            #expect(paid["charges"]?.elements.first?["amount"] == yen(280), "\(paid.text)")
            check(paid["amounts"])
            check(try await merchant.get("/v1/sessions/\(session.id)")["amounts"])
            let told = "data -> 'amounts' -> 'total' ->> 'amount', data -> 'amounts' -> 'tax' ->> 'amount'"
            let events = try shop.rows("SELECT DISTINCT \(told) FROM event")
            #expect(events == [["280", includesTax ? "25" : "240"]])
            let more = MerchantClient.order([JSONMember("adjustments", [Self.adjustment("Points", -3_180)])])
            #expect(try await merchant.post("/v1/sessions", more).field == "adjustments")
        }
    }

    @Test func `has none where none were sent`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            #expect(session.reply["adjustments"] == [])
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["adjustments"] == [])
        }
    }

    @Test func `is charged in an app for its sum`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let opened = try await merchant.openApp(MerchantClient.appOrder(nil, [Self.adjustments]))
            #expect(opened.launch["payloadJSON"]?.text?.contains(#""amount":"2480""#) == true, "\(opened.reply.text)")
            #expect(
                try shop.rows("SELECT total FROM webview_session UNION SELECT total FROM merchant_order") == [["2480"]]
            )
        }
    }

    @Test func `may have two hundred lines of 9,999 pieces and names of every length`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let name = String(repeating: "𠮷", count: 120)
            let lines = (0..<200).map { number -> JSONValue in
                let id = String(repeating: "茶", count: 61) + "\(100 + number)"
                return [
                    "id": .string(id), "name": .string(name), "unitPrice": MerchantClient.yen(1), "quantity": 9_999,
                    "sum": MerchantClient.yen(9_999),
                ]
            }
            let adjustments = (0..<20).map { _ in Self.adjustment(name, -50_000) }
            let order = MerchantClient.order([
                JSONMember("lines", .array(lines)), JSONMember("adjustments", .array(adjustments)),
            ])
            #expect(order.bytes.count > 150_000)
            let session = try await merchant.open(order)
            #expect(session.reply["amounts"]?["total"]?["amount"]?.text == "1000580")
            let tab = shop.tab()
            let confirm = try await tab.choose(try await tab.open(session.url))
            #expect(confirm.text.ranges(of: name).count == 220)
            #expect(confirm.text.contains("1,000,580"))
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid["charges"]?.elements.first?["amount"]?["amount"]?.text == "1000580", "\(paid.text)")
            #expect(paid["lines"]?.elements.count == 200)
            let more = MerchantClient.order([JSONMember("lines", .array(lines + [lines[0]]))])
            #expect(try await merchant.post("/v1/sessions", more).field == "lines")
        }
    }

    @Test func `says the deadline that ends its session next`() async throws {
        try await withShop(.merchants(["session.launch": "2m", "session.idle": "10m", "session.absolute": "1h"])) {
            shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            #expect(session.reply["expiresAt"] == session.reply["launch"]?["expiresAt"], "\(session.reply.text)")
            func deadline() throws -> String {
                try shop.value("SELECT time_text(least(idle_until, absolute_until)) FROM webview_session")
            }
            func told() async throws -> String? {
                try await merchant.get("/v1/sessions/\(session.id)")["expiresAt"]?.text
            }
            let first = try deadline()
            #expect(try await told() == first)
            _ = try await shop.tab().open(session.url)
            #expect(try deadline() > first)
            #expect(try await told() == deadline())
            #expect(
                try shop.value("SELECT idle_until < absolute_until - interval '40 minutes' FROM webview_session")
                    == "t",
                "the nearer one"
            )
        }
    }
}
