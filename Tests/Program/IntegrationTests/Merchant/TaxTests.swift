import HTTPCore
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// Orders at prices that include tax.
@Suite("A merchant's order with prices that include tax", .tags(.database))
struct TaxTests {
    private static let yen = MerchantClient.yen

    /// Three bottles of tea at 198 yen and a cup at 880: ten yen off, and a postage.
    private static func order(_ postage: JSONValue, _ changes: [JSONMember] = []) -> JSONValue {
        MerchantClient.order(
            [
                JSONMember("tax", .null), JSONMember("pricesIncludeTax", true), JSONMember("postage", postage),
                JSONMember(
                    "lines",
                    [
                        ["id": "tea", "name": "緑茶 500ml", "unitPrice": yen(198), "quantity": 3, "taxRate": 8],
                        ["id": "cup", "name": "湯呑", "unitPrice": yen(880), "quantity": 1, "taxRate": 10],
                    ]
                ),
                JSONMember("adjustments", [["name": "クーポン", "amount": yen(-10)]]),
            ] + changes
        )
    }

    private static func rate(_ rate: Int, _ taxable: Int, _ amount: Int) -> String {
        #"{"rate":\#(rate),"taxable":\#(yen(taxable)),"amount":\#(yen(amount))}"#
    }

    /// Of the coupon 5.97 yen go to the cup, which is rounded down, and the rest to the tea.
    private static let whole = "[" + rate(10, 1_415, 128) + "," + rate(8, 589, 43) + "]"

    @Test func `has one tax for each rate on the page, in the answers and in the events`() async throws {
        try await withShop(.merchants(["shop.registration_number": "T1234567890123"])) { shop in
            let merchant = try await shop.merchant("sessions:read,sessions:write,events:read")
            let session = try await merchant.open(Self.order(["amount": Self.yen(540)]))
            func check(_ session: JSONValue?) {
                #expect(session?["pricesIncludeTax"] == true && session?["postageTaxRate"] == 10)
                #expect(session?["lines"]?.elements.map { $0["taxRate"] } == [8, 10])
                #expect(session?["adjustments"]?.elements.map { $0["taxRate"] } == [nil])
                let amounts = session?["amounts"]
                #expect(amounts?["taxes"]?.description == Self.whole, "\(amounts?.description ?? "")")
                let sums = ["subtotal", "tax", "total"].map { amounts?[$0]?["amount"]?.text }
                #expect(sums == ["1474", "171", "2004"])
            }
            check(session.reply.body)
            let tab = shop.tab()
            let confirm = try await tab.choose(try await tab.open(session.url))
            let expected = [
                #"緑茶 500ml※ <small>¥198 × 3 with tax</small></th><td>¥594</td>"#, "湯呑 <small>¥880 × 1 with tax</small>",
                "<dt>Taxed at 10%</dt><dd>¥1,415 <small>(incl. tax ¥128)</small></dd>",
                "<dt>Taxed at 8%</dt><dd>¥589 <small>(incl. tax ¥43)</small></dd>", "<dd>T1234567890123</dd>",
                "※ Taxed at the reduced rate", #"<td id="total">¥2,004</td>"#,
            ]
            for part in expected { #expect(confirm.text.contains(part), "\(part): \(confirm.text)") }
            #expect(!confirm.text.contains("before tax"))
            let back = try #require(try await tab.agree(confirm).link("purchase_link"))
            check(try await merchant.complete(session, back).body)
            check(try await merchant.get("/v1/sessions/\(session.id)").body)
            let events = try await Self.events(2, of: merchant)
            for event in events { check(event["data"]) }
            let completions = try await shop.control.calls("CompleteCheckoutSession").filter(\.isEffective)
            #expect(completions.map(\.amount) == ["2004"])
        }
    }

    @Test func `is as before without the member`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant("sessions:read,sessions:write,events:read")
            let session = try await merchant.open()
            for reply in [session.reply, try await merchant.get("/v1/sessions/\(session.id)")] {
                #expect(reply["pricesIncludeTax"] == false && reply["postageTaxRate"] == nil)
                #expect(reply["amounts"]?["taxes"] == nil && reply["amounts"]?["tax"]?["amount"]?.text == "240")
                let names = ["id", "name", "unitPrice", "quantity", "sum"]
                #expect(reply["lines"]?.elements.map { $0.members.map(\.name) } == [names])
            }
        }
    }

    /// What the program computes when it opens a session, what the buyer reads, and what the database computes.
    @Test(arguments: [[8], [10], [8, 10], [0, 8, 10]])
    func `has the same sums wherever they are computed, with 1 to 200 lines`(rates: [Int]) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant("sessions:read,sessions:write,events:read")
            var opened: [String: String] = [:]
            for count in [1, Int.random(in: 2...199), 200] {
                let session = try await merchant.open(Self.randomOrder(count, at: rates))
                let sums = Self.sums(of: session.reply.body)
                opened[session.id] = sums
                let amounts = try #require(session.reply["amounts"])
                let paid = (amounts["taxes"]?.elements ?? []).compactMap { Self.units($0["taxable"]) }.reduce(0, +)
                #expect(Self.units(amounts["total"]) == paid, "\(amounts)")

                let tab = shop.tab()
                let confirm = try await tab.choose(try await tab.open(session.url))
                for part in Self.parts(of: session.reply) {
                    #expect(confirm.text.contains(part), "\(part): \(confirm.text)")
                }
                #expect(Self.sums(of: try await merchant.get("/v1/sessions/\(session.id)").body) == sums)
                let back = try #require(try await tab.agree(confirm).link("purchase_link"))
                #expect(Self.sums(of: try await merchant.complete(session, back).body) == sums)
            }
            let listed = try await merchant.get("/v1/sessions")["data"]?.elements ?? []
            #expect(listed.count == 3)
            let events = try await Self.events(6, of: merchant)
            for session in listed + events.compactMap({ $0["data"] }) {
                #expect(Self.sums(of: session) == opened[try #require(session["id"]?.text)])
            }
        }
    }

    /// So many events; transactions of other tests hold the list up, for it is one server.
    private static func events(_ count: Int, of merchant: MerchantClient) async throws -> [JSONValue] {
        try await withLoop { reactor in
            try await poll(reactor, "\(count) events") {
                let events = try await merchant.get("/v1/events")["data"]?.elements ?? []
                return events.count == count ? events : nil
            }
        }
    }

    /// Everything that a session says of money, octet for octet.
    private static func sums(of session: JSONValue) -> String {
        let members = ["pricesIncludeTax", "lines", "adjustments", "postageTaxRate", "amounts"]
        return members.map { session[$0]?.description ?? "" }.joined(separator: "\n")
    }

    private static func randomOrder(_ count: Int, at rates: [Int]) -> JSONValue {
        let lines = (0..<count).map { number -> JSONValue in
            [
                "id": .string("\(number)"), "name": .string("A\(number)"), "unitPrice": yen(.random(in: 10...2_000)),
                "quantity": JSONValue(.random(in: 1...9)),
                "taxRate": JSONValue(number < rates.count ? rates[number] : rates.randomElement() ?? 8),
            ]
        }
        let postage: JSONValue = [
            "amount": yen(.random(in: 0...999)), "taxRate": JSONValue([8, 10].randomElement() ?? 8),
        ]
        let adjustments: JSONValue = [
            ["name": "クーポン", "amount": yen(-10)],
            ["name": "ギフト包装", "amount": yen(.random(in: 1...500)), "taxRate": JSONValue(rates.randomElement() ?? 8)],
        ]
        return order(postage, [JSONMember("lines", .array(lines)), JSONMember("adjustments", adjustments)])
    }

    /// What a page has to say of an order: each line, each rate and the total.
    private static func parts(of session: MerchantReply) -> [String] {
        let amounts = session["amounts"]
        let lines = (session["lines"]?.elements ?? []).map { line in
            let mark = line["taxRate"] == 8 ? "※" : ""
            let price = "\(shown(line["unitPrice"])) × \(line["quantity"] ?? .null) with tax"
            return "\(line["name"]?.text ?? "")\(mark) <small>\(price)</small></th><td>\(shown(line["sum"]))</td>"
        }
        let rates = (amounts?["taxes"]?.elements ?? []).map { rate in
            let tax = rate["rate"] == 0 ? "" : " <small>(incl. tax \(shown(rate["amount"])))</small>"
            return "<dd>\(shown(rate["taxable"]))\(tax)</dd>"
        }
        return lines + rates + [#"<td id="total">\#(shown(amounts?["total"]))</td>"#]
    }

    private static func units(_ money: JSONValue?) -> Int? { money?["amount"]?.text.flatMap { Int($0) } }

    /// An amount as a page shows it: `¥27,996`.
    private static func shown(_ money: JSONValue?) -> String {
        var digits = money?["amount"]?.text ?? ""
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return "¥" + ([digits] + groups).joined(separator: ",")
    }
}
