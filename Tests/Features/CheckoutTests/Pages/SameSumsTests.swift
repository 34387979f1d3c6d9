import Commerce
import MerchantAPI
import MerchantOrders
import Pages
import Primitives
import SessionBroker
import StrictJSON
import Testing

@testable import Checkout

/// What the buyer reads from the cart to the receipt, and what the merchant's server reads of the same order.
@Suite("The sums of an order with tax")
struct SameSumsTests {
    @Test(
        arguments: [[.reduced], [.standard], [.reduced, .standard], TaxRate.allCases] as [[TaxRate]],
        Language.allCases
    )
    func `are the same in cart, on the pages and in the interface, for 1 to 200 lines`(
        rates: [TaxRate],
        language: Language
    ) throws {
        var random = FixedNumbers(state: UInt64(rates.reduce(1) { $0 * 31 + $1.rawValue }))
        let counts = [1, 2, 199, 200] + (0..<4).map { _ in Int.random(in: 3...198, using: &random) }
        for count in counts {
            let sale = try Sale(count, at: rates, &random)
            let told = try sale.told
            #expect(told.lines.count == count)
            #expect(told.rates.reduce(0) { $0 + $1.taxable } == told.total)
            #expect(told.total == told.subtotal + told.postage)

            let pages = Samples.pages(sale.site, Samples.assets)[language]
            let confirm = pages.confirm.render(
                Samples.confirm(for: .browser, order: sale.order),
                nonce: Samples.nonce
            )
            let thanks = pages.thanks.render(Samples.session(of: .browser, order: sale.order))
            for page in [confirm, thanks] { #expect(Tally(page) == told) }

            // The shop's own cart multiplies and adds; it knows neither postage nor rates.
            let cart = CartSums(pages.cart(.browser).render(nonce: Samples.nonce))
            #expect(cart.shown == cart.prices && cart.sum == cart.prices.reduce(0, +))
            #expect(zip(cart.prices, sale.quantities).map { $0 * $1 } == told.lines.map(\.sum))
            #expect(zip(cart.prices, sale.quantities).reduce(0) { $0 + $1.0 * $1.1 } == told.subtotal)
        }
    }
}

/// Some articles in some quantities, sent for 540 yen.
private struct Sale {
    let site: PageSite
    let order: Order
    let quantities: [Int]

    init(_ count: Int, at rates: [TaxRate], _ random: inout FixedNumbers) throws {
        var entries: [Catalogue.Entry] = []
        var quantities: [Int] = []
        for number in 0..<count {
            entries.append(
                Catalogue.Entry(
                    id: "item\(number)",
                    name: "Article \(number)",
                    price: Yen(UInt32.random(in: 1...400, using: &random)),
                    taxRate: rates[number < rates.count ? number : Int.random(in: rates.indices, using: &random)],
                    field: "field\(number)"
                )
            )
            quantities.append(Int.random(in: 1...99, using: &random))
        }
        let catalogue = Catalogue(entries: entries)
        order = try catalogue.order(Dictionary(uniqueKeysWithValues: zip(entries.map(\.field), quantities)))
        self.quantities = quantities
        site = PageSite(
            shopName: "Shop",
            catalogue: catalogue,
            checkoutScript: Samples.site.checkoutScript,
            rescue: Samples.site.rescue
        )
    }

    /// What the interface says of the order.
    var told: Tally {
        get throws {
            let lines = try order.lines.map { line in
                try DraftLine(
                    id: line.article.id,
                    name: line.article.name,
                    unitPrice: Money(line.article.price),
                    quantity: line.quantity,
                    taxRate: line.article.taxRate
                )
            }
            let nothing = Money(Yen.zero)
            let draft = try OrderDraft(reference: "A", lines: lines, tax: nothing, postage: .fixed(Money(Yen(540))))
            let now = WallTime(seconds: 1_790_000_000)
            let body = SessionBody(
                opened: Samples.returnTicket.webviewSession,
                client: "site",
                environment: "sandbox",
                draft,
                times: MerchantOrder.Times(created: now, updated: now, expires: nil)
            )
            return try Tally(body.json)
        }
    }
}

/// The sums of an order, wherever they were read.
private struct Tally: Equatable {
    struct Line: Equatable {
        let price: Int
        let sum: Int
    }

    struct Rate: Equatable {
        let percent: Int
        let taxable: Int
        let tax: Int
    }

    var lines: [Line] = []
    var subtotal = 0
    var postage = 0
    var total = 0
    var rates: [Rate] = []

    /// Of a session as a merchant's server reads it.
    init(_ session: JSONValue) throws {
        func yen(_ value: JSONValue?, _ name: String) throws -> Int {
            try #require(value?[name]?["amount"]?.text.flatMap { Int($0) })
        }
        let amounts = session["amounts"]
        lines = try (session["lines"]?.elements ?? []).map {
            Line(price: try yen($0, "unitPrice"), sum: try yen($0, "sum"))
        }
        subtotal = try yen(amounts, "subtotal")
        postage = try yen(amounts, "postage")
        total = try yen(amounts, "total")
        rates = try (amounts?["taxes"]?.elements ?? []).map {
            Rate(
                percent: try #require($0["rate"]?.integer),
                taxable: try yen($0, "taxable"),
                tax: try yen($0, "amount")
            )
        }
    }

    /// Of a page with the table of an order; sums that are missing there make it unlike any other.
    init(_ page: [UInt8]) {
        let page = String(decoding: page, as: UTF8.self)
        let rows = amounts(in: page.part(from: "<tbody>", to: "</tbody>"))
        lines = stride(from: 0, to: rows.count - 1, by: 2).map { Line(price: rows[$0], sum: rows[$0 + 1]) }
        let foot = amounts(in: page.part(from: "<tfoot>", to: "</tfoot>"))
        if foot.count == 3 { (subtotal, postage, total) = (foot[0], foot[1], foot[2]) }
        let facts = page.part(from: #"<dl class="facts" id="taxes">"#, to: "</dl>")
        for fact in facts.split(separator: "<div>") where fact.contains("<dt>") {
            let name = fact.part(from: "<dt>", to: "</dt>")
            let percent = name.contains("10%") ? 10 : name.contains("8%") ? 8 : 0
            let sums = amounts(in: fact)
            guard let taxable = sums.first else { continue }
            rates.append(Rate(percent: percent, taxable: taxable, tax: sums.dropFirst().first ?? 0))
        }
    }
}

/// What the shop's own cart says before the buyer changes a quantity, and what its script multiplies.
private struct CartSums {
    let shown: [Int]
    let prices: [Int]
    let sum: Int?

    init(_ page: [UInt8]) {
        let page = String(decoding: page, as: UTF8.self)
        shown = page.split(separator: #"<p class="price">"#).dropFirst().compactMap { amounts(in: $0).first }
        prices = page.split(separator: #"data-price=""#).dropFirst().compactMap { Int($0.prefix { $0 != "\"" }) }
        sum = amounts(in: page.part(from: #"<strong id="subtotal""#, to: "</strong>")).first
    }
}

/// The numbers behind the signs of the yen, in the order of the text.
private func amounts(in text: some StringProtocol) -> [Int] {
    text.split(omittingEmptySubsequences: false) { $0 == "￥" || $0 == "¥" }.dropFirst().compactMap { part in
        Int(String(part.prefix { $0.isNumber || $0 == "," }.filter { $0 != "," }))
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate func part(from start: String, to end: String) -> Substring {
        guard let first = firstRange(of: start) else { return "" }
        let rest = self[first.upperBound...]
        return rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
    }
}

/// The same numbers at each run.
private struct FixedNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
