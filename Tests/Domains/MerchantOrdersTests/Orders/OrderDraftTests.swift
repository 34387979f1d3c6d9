import Commerce
import MerchantOrders
import Primitives
import Testing

@Suite("A merchant's order")
struct OrderDraftTests {
    private static func money(_ units: Int64, _ currency: Currency = .jpy) throws -> Money {
        try #require(Money(units: units, currency))
    }

    private static func line(_ id: String, _ price: Int64, _ quantity: Int = 1) throws -> DraftLine {
        try DraftLine(id: id, name: "Article \(id)", unitPrice: money(price), quantity: quantity)
    }

    /// An order with one thing changed.
    private static func draft(
        reference: String = "order-1",
        lines: [DraftLine]? = nil,
        tax: Money? = nil,
        postage: Postage? = nil,
        _ change: (inout OrderDraft.Options) -> Void = { _ in }
    ) throws -> OrderDraft {
        var options = OrderDraft.Options()
        change(&options)
        return try OrderDraft(
            reference: reference,
            lines: lines ?? [line("hd8", 8_980), line("hd10", 15_980)],
            tax: tax ?? money(2_496),
            postage: postage ?? .fixed(money(540)),
            options: options
        )
    }

    @Test func `adds up its sums`() throws {
        let draft = try Self.draft()
        #expect(draft.currency == .jpy)
        #expect(draft.subtotal.text == "24960")
        #expect(draft.total?.text == "27996")
        #expect(draft.options.captureMode == .manual)
        let lines = try [Self.line("a", 100, 99), Self.line("b", 0, 1)]
        #expect(lines.map(\.sum.text) == ["9900", "0"])
        #expect(try Self.draft(lines: lines, tax: Self.money(0)).total?.text == "10440")
    }

    @Test func `is cheaper or dearer than its lines by what is adjusted`() throws {
        func adjusted(_ units: Int64..., postage: Int64 = 540) throws -> OrderDraft {
            try Self.draft(postage: .fixed(Self.money(postage))) { options in
                options.adjustments = units.compactMap { Adjustment(name: "A", units: $0) }
            }
        }
        let draft = try adjusted(-1_000, 200, 0)
        #expect(draft.total?.text == "27196")
        #expect(draft.shown?.beforePostage == 26_656 && draft.shown?.taxIncluded == Yen(27_456))
        #expect(try adjusted(-27_456).total?.text == "540")
        #expect(Self.refusal { try adjusted(-27_456, postage: 0) }?.field == "adjustments")
        #expect(Self.refusal { try adjusted(10_000_000) }?.code == .amount)
        let asking = Postage.callback("https://shop.example.test/postage")
        let all = try #require(Adjustment(name: "A", units: -27_456))
        // Whatever the postage, something is to be paid.
        #expect(Self.refusal { try Self.draft(postage: asking) { $0.adjustments = [all] } }?.field == "adjustments")
    }

    @Test func `may have its postage paid by points where that is known`() throws {
        func paid(_ units: Int64, rate: TaxRate? = nil, postage: Postage) throws -> OrderDraft {
            let line = try DraftLine(id: "a", name: "A", unitPrice: Self.money(2_640), quantity: 1, taxRate: .reduced)
            let points = try #require(Adjustment(name: "Points", units: units, taxRate: rate))
            return try Self.draft(lines: [line], tax: Self.money(0), postage: postage) { $0.adjustments = [points] }
        }
        let fixed = Postage.fixed(try Self.money(540))
        let draft = try paid(-2_900, postage: fixed)
        #expect(draft.total?.text == "280" && draft.shown?.beforePostage == -260)
        // What is left is postage, at its rate.
        let bases = try #require(draft.bases).adding(Yen(540), at: .standard)
        #expect(bases.rates == [.standard] && bases[.standard] == 280 && bases.total == 280)
        let free = try paid(-540, rate: .standard, postage: fixed)
        #expect(free.total?.text == "2640" && free.bases?.adding(Yen(540), at: .standard).rates == [.reduced])
        #expect(try paid(-3_179, postage: fixed).total?.text == "1")
        for refused in [-3_180, -3_181] as [Int64] {
            #expect(Self.refusal { try paid(refused, postage: fixed) }?.field == "adjustments")
        }
        #expect(Self.refusal { try paid(-541, rate: .standard, postage: fixed) }?.field == "adjustments")
        #expect(Self.refusal { try paid(-2_641, rate: .reduced, postage: fixed) }?.field == "adjustments")
        let asking = Postage.callback("https://shop.example.test/postage")
        #expect(Self.refusal { try paid(-2_900, postage: asking) }?.field == "adjustments")
    }

    @Test(arguments: [("", 1, false), ("A", 1, true), ("A", 20, true), ("A", 21, false), ("a\u{7}b", 1, false)])
    func `has up to twenty adjustments with names to print`(name: String, count: Int, isGood: Bool) throws {
        let adjustment = try #require(Adjustment(name: name, units: 1))
        let refusal = Self.refusal {
            try Self.draft { $0.adjustments = Array(repeating: adjustment, count: count) }
        }
        #expect((refusal == nil) == isGood)
        #expect(isGood || refusal?.field.hasPrefix("adjustments") == true)
    }

    @Test func `counts in the smallest coin of its currency`() throws {
        let price = try #require(Money.parse("12.5", .usd))
        let line = try DraftLine(id: "a", name: "A", unitPrice: price, quantity: 3)
        let draft = try OrderDraft(
            reference: "r",
            lines: [line],
            tax: Self.money(301, .usd),
            postage: .fixed(Self.money(499, .usd))
        )
        #expect(draft.subtotal.text == "37.50")
        #expect(draft.total?.text == "45.50")
    }

    @Test func `has no total until the postage is known`() throws {
        let draft = try Self.draft(postage: .callback("https://shop.example.test/postage"))
        #expect(draft.total == nil)
        #expect(try draft.total(withPostage: Self.money(1_080))?.text == "28536")
        #expect(try draft.total(withPostage: Self.money(1_080, .usd)) == nil)
        #expect(try draft.total(withPostage: Self.money(10_000_000)) == nil)
    }

    @Test(
        arguments: [
            ("", 1, "id"), (" ", 1, "id"), ("a\u{7}", 1, "id"), (String(repeating: "a", count: 65), 1, "id"),
            ("a", 0, "quantity"), ("a", 10_000, "quantity"), ("a", -1, "quantity"),
        ]
    )
    func `refuses a line outside its rules`(id: String, quantity: Int, field: String) throws {
        let refusal = #expect(throws: DraftRefusal.self) {
            try DraftLine(id: id, name: "A", unitPrice: Self.money(1), quantity: quantity)
        }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.field == field)
    }

    @Test func `refuses a line whose sum is another one than the merchant's`() throws {
        let line = try DraftLine(id: "a", name: "A", unitPrice: Self.money(5), quantity: 3, claimedSum: Self.money(15))
        #expect(line.sum.text == "15")
        for claimed in [try Self.money(16), try Self.money(15, .usd)] {
            let refusal = #expect(throws: DraftRefusal.self) {
                try DraftLine(id: "a", name: "A", unitPrice: Self.money(5), quantity: 3, claimedSum: claimed)
            }
            #expect(refusal?.code == .sum)
            #expect(refusal?.field == "sum")
        }
    }

    @Test func `refuses a line that comes to more than any sum`() throws {
        let refusal = #expect(throws: DraftRefusal.self) {
            try DraftLine(id: "a", name: "A", unitPrice: Self.money(Money.limit), quantity: 2)
        }
        #expect(refusal?.code == .amount)
    }

    @Test(arguments: [(0, false), (1, true), (200, true), (201, false)])
    func `has 1 to 200 lines`(count: Int, isGood: Bool) throws {
        let lines = try (0..<count).map { try Self.line("a\($0)", 10) }
        let refusal = Self.refusal { try Self.draft(lines: lines) }
        #expect((refusal == nil) == isGood)
        #expect(isGood || refusal?.field == "lines")
    }

    @Test func `names the line that is wrong`() throws {
        let twice = try [Self.line("a", 1), Self.line("b", 1), Self.line("a", 1)]
        #expect(Self.refusal { try Self.draft(lines: twice) }?.field == "lines[2].id")
        let foreign = try DraftLine(id: "b", name: "B", unitPrice: Self.money(1, .eur), quantity: 1)
        let refusal = Self.refusal { try Self.draft(lines: [Self.line("a", 1), foreign]) }
        #expect(refusal?.code == .amount)
        #expect(refusal?.field == "lines[1].unitPrice")
    }

    @Test func `is in one currency throughout`() throws {
        let postage = Postage.fixed(try Self.money(540, .usd))
        #expect(Self.refusal { try Self.draft(postage: postage) }?.field == "postage.amount")
        let tax = try Self.money(1, .usd)
        #expect(Self.refusal { try Self.draft(tax: tax) }?.field == "lines[0].unitPrice")
    }

    @Test func `comes to something that can be charged`() throws {
        let free = try [Self.line("a", 0)]
        #expect(Self.refusal { try Self.draft(lines: free) }?.code == .amount)
        let rest = try Self.money(0)
        let most = try [Self.line("a", 10_000_000)]
        #expect(try Self.draft(lines: most, tax: rest, postage: .fixed(rest)).total?.text == "10000000")
        let one = try Self.money(1)
        #expect(Self.refusal { try Self.draft(lines: most, tax: one, postage: .fixed(rest)) }?.code == .amount)
        #expect(Self.refusal { try Self.draft(lines: most, tax: rest, postage: .fixed(one)) }?.code == .amount)
        let callback = Postage.callback("https://shop.example.test/p")
        #expect(Self.refusal { try Self.draft(lines: most, tax: one, postage: callback) }?.code == .amount)
        let limit = try Self.money(Money.limit)
        #expect(Self.refusal { try Self.draft(tax: limit, postage: .fixed(limit)) }?.code == .amount)
        #expect(Self.refusal { try Self.draft(tax: limit, postage: .byAddress(.sample)) }?.code == .amount)
        let rule = PostageRule(usual: .zero, remote: Yen(1), remotePrefectures: [])
        #expect(Self.refusal { try Self.draft(lines: most, tax: rest, postage: .byAddress(rule)) }?.code == .amount)
    }

    @Test(arguments: ["", " \n", "\u{200B}", "a\u{1B}b", "a\u{202E}b", "a\u{0}", String(repeating: "r", count: 101)])
    func `refuses a reference that cannot be shown in a line`(reference: String) {
        let refusal = Self.refusal { try Self.draft(reference: reference) }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.field == "reference")
    }

    @Test(arguments: ["r", "注文 12", "👩\u{200D}🍳", String(repeating: "り", count: 100)])
    func `takes a reference in any script`(reference: String) throws {
        #expect(try Self.draft(reference: reference).reference == reference)
    }

    @Test func `of the shop itself has the catalogue's sums, and its number for a name`() throws {
        let order = try Catalogue.sample.order(["hd8": 1, "hd10": 1])
        let draft = try OrderDraft(order, of: OwnShop(.sample, sentBy: .sample, .manual))
        #expect(draft.reference == nil)
        #expect(draft.shown == order)
        #expect(draft.lines.map(\.id) == ["item0008", "item0010"])
        #expect(draft.subtotal == Money(order.subtotal))
        #expect(try draft.subtotal.adding(draft.tax) == Money(order.taxIncluded))
        #expect(draft.total == nil)
        let most = try Catalogue.sample.order(["hd8": 99, "hd10": 99])
        #expect(throws: Never.self) { try OrderDraft(most, of: OwnShop(.sample, sentBy: .sample, .manual)) }
    }

    @Test func `is shown as it was described, in yen only`() throws {
        let yen = try Self.draft(lines: [Self.line("a", 100), Self.line("b", 20)], tax: Self.money(12))
        #expect(yen.shown?.subtotal.amount == yen.subtotal.units)
        #expect(yen.shown?.taxIncluded.amount == yen.subtotal.units + 12)
        #expect(yen.shown?.lines.map(\.article.id) == ["a", "b"])
        let line = try DraftLine(id: "a", name: "A", unitPrice: Self.money(100, .usd), quantity: 1)
        let dollars = try Self.draft(lines: [line], tax: Self.money(0, .usd), postage: .fixed(Self.money(0, .usd)))
        #expect(dollars.shown == nil)
    }

    @Test func `bounds what comes with it`() throws {
        #expect(Self.refusal { try Self.draft { $0.note = String(repeating: "n", count: 255) } } == nil)
        #expect(Self.refusal { try Self.draft { $0.note = String(repeating: "n", count: 256) } }?.field == "note")
        let twenty = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)".octets, "v") })
        #expect(Self.refusal { try Self.draft { $0.metadata = twenty } } == nil)
        for metadata in [twenty.merging(["more": "v"]) { $1 }, ["": "v"], ["\u{200B}": "v"]] {
            #expect(Self.refusal { try Self.draft { $0.metadata = metadata } }?.field == "metadata")
        }
        for metadata: [OctetText: String] in [["k": "a\u{7}b"], ["k": "", "k\u{200B}": ""]] {
            #expect(Self.refusal { try Self.draft { $0.metadata = metadata } }?.field == "metadata.k")
        }
        #expect(Self.refusal { try Self.draft { $0.returnURL = "http://a.test/" } }?.field == "returnUrl")
        let postage = Postage.callback("javascript:alert(1)")
        #expect(Self.refusal { try Self.draft(postage: postage) }?.field == "postage.callback")
    }

    @Test func `is held to the operator's currency and origins`() throws {
        let origin = try #require(CallbackOrigin(setting: "https://shop.example.test"))
        let policy = OrderPolicy(ledgerCurrency: .jpy, returnOrigins: [origin], postageOrigins: [])
        try policy.check(Self.draft { $0.returnURL = "https://shop.example.test/thanks?x=1" })
        #expect(throws: DraftRefusal(.address, "returnUrl", "not at one of the origins that were agreed on")) {
            try policy.check(Self.draft { $0.returnURL = "https://shop.example.test.evil.test/thanks" })
        }
        let callback = Postage.callback("https://shop.example.test/p")
        #expect(Self.refusal { try policy.check(Self.draft(postage: callback)) }?.code == .callback)
        let asking = OrderPolicy(ledgerCurrency: .jpy, postageOrigins: [origin])
        try asking.check(Self.draft(postage: callback))
        #expect(asking.postageOrigin(of: "https://shop.example.test/p") == origin)
        #expect(asking.postageOrigin(of: "http://shop.example.test/p") == nil)
        #expect(asking.postageOrigin(of: "https://shop.example.test:8443/p") == nil)
        let dollars = OrderPolicy(ledgerCurrency: .usd)
        #expect(Self.refusal { try dollars.check(Self.draft()) }?.code == .currency)
        let blind = OrderPolicy(ledgerCurrency: .jpy, shownCurrencies: [.usd])
        #expect(Self.refusal { try blind.check(Self.draft()) }?.code == .currency)
    }

    @Test func `says where a refusal lies`() {
        let refusal = DraftRefusal(.invalid, "quantity", "1 to 99").below("lines[3]")
        #expect(refusal.field == "lines[3].quantity")
        #expect(refusal.description == "invalid_request lines[3].quantity: 1 to 99")
        #expect(DraftRefusal(.amount, "", "x").below("tax").field == "tax")
    }

    /// The refusal of what is done, or `nil` where it succeeds.
    private static func refusal<Value>(_ body: () throws -> Value) -> DraftRefusal? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? DraftRefusal
        }
    }
}
