import Commerce
import Testing

@Suite("Tax per rate")
struct TaxRateTests {
    private typealias Line = (rate: TaxRate, sum: Int64)

    private static func discount(_ units: Int64, at rate: TaxRate? = nil) throws -> Adjustment {
        try #require(Adjustment(name: "A", units: -units, taxRate: rate))
    }

    @Test func `is rounded down once per rate, not once per line`() throws {
        // Eight yen of tax in 108, none in 12; one more in nine of them.
        let lines = [Line(.reduced, 108)] + Array(repeating: Line(.reduced, 12), count: 9)
        let bases = try #require(TaxBases(of: lines))
        #expect(bases[.reduced] == 216 && bases.tax(at: .reduced) == 16 && bases.tax == 16)
        #expect(bases.rates == [.reduced])
    }

    @Test(
        arguments: [
            (.reduced, 198, 14), (.reduced, 594, 44), (.standard, 9, 0), (.standard, 10, 0), (.standard, 11, 1),
            (.standard, 27_996, 2_545), (.untaxed, 1_000, 0),
        ] as [(TaxRate, Int64, Int64)]
    )
    func `is contained in what is paid`(rate: TaxRate, sum: Int64, tax: Int64) throws {
        #expect(try #require(TaxBases(of: [Line(rate, sum)])).tax(at: rate) == tax)
    }

    @Test func `of a shipping cost belongs to its own rate`() throws {
        let bases = try #require(TaxBases(of: [Line(.reduced, 1_296)])).adding(Yen(540), at: .standard)
        #expect(bases.rates == [.standard, .reduced])
        #expect(bases.tax(at: .standard) == 49 && bases.tax(at: .reduced) == 96 && bases.total == 1_836)
    }

    @Test func `falls with a discount in proportion to what is paid at each rate`() throws {
        let lines = [Line(.reduced, 2_000), Line(.standard, 1_000)]
        let bases = try #require(TaxBases(of: lines, [try Self.discount(301)]))
        // 100.33 yen at ten per cent, 200.66 at eight: the fraction goes to the lower rate.
        #expect(bases[.standard] == 900 && bases[.reduced] == 1_799)
        let own = try #require(TaxBases(of: lines, [try Self.discount(301, at: .reduced)]))
        #expect(own[.standard] == 1_000 && own[.reduced] == 1_699)
        let fee = try #require(Adjustment(name: "Wrap", units: 300))
        #expect(TaxBases(of: [Line(.reduced, 2_000)], [fee])?[.standard] == 300)
    }

    @Test func `does not fall below nothing at any rate`() throws {
        let lines = [Line(.reduced, 2_000), Line(.standard, 1_000)]
        #expect(TaxBases(of: lines, [try Self.discount(1_001, at: .standard)]) == nil)
        #expect(TaxBases(of: lines, [try Self.discount(3_001)]) == nil)
        let all = try #require(TaxBases(of: lines, [try Self.discount(3_000)]))
        #expect(all.total == 0 && all.rates.isEmpty && all.tax == 0)
        // A fee and a discount of one rate are one sum, in whatever order they come.
        let fee = try #require(Adjustment(name: "Wrap", units: 500, taxRate: .standard))
        #expect(TaxBases(of: lines, [try Self.discount(1_400, at: .standard), fee])?[.standard] == 100)
    }

    @Test func `of hostile sums is refused and never traps`() throws {
        for most in [Int64.max, .min, Money.limit + 1, -1] {
            #expect(TaxBases(of: Array(repeating: Line(.standard, most), count: 3)) == nil, "\(most)")
        }
        let limit = Line(.standard, Money.limit)
        let others = [Line(.reduced, Money.limit), Line(.untaxed, Money.limit)]
        let discount = try #require(Adjustment(name: "A", units: -Money.limit))
        let bases = try #require(TaxBases(of: [limit] + others, [discount, discount]))
        #expect(bases.total == Money.limit)
        let fee = try #require(Adjustment(name: "A", units: Money.limit))
        #expect(TaxBases(of: [limit], Array(repeating: fee, count: 20)) == nil)
    }

    /// Orders of 1 to 200 lines at eight, at ten and at several per cent, with discounts and postage.
    @Test(arguments: [[.reduced], [.standard], [.reduced, .standard], TaxRate.allCases], 0..<8)
    func `adds up to what is paid in every order`(rates: [TaxRate], seed: UInt64) throws {
        var random = CurrencyTests.Sequence(state: seed &* 31 &+ UInt64(rates.count))
        for _ in 0..<250 {
            let lines = try (0..<Int.random(in: 1...200, using: &random)).map { number -> OrderLine in
                let rate = try #require(rates.randomElement(using: &random))
                let price = Yen(UInt32.random(in: 0...30_000, using: &random))
                let article = Article(id: "\(number)", name: "A", price: price, taxRate: rate)
                return try OrderLine(article: article, quantity: Int.random(in: 1...99, using: &random))
            }
            let sum = lines.reduce(0) { $0 + $1.sum.amount }
            let postage = Yen(UInt32.random(in: 0...2_000, using: &random))
            let discount = Int64.random(in: 0...(sum + postage.amount), using: &random)
            let adjustments = [try Self.discount(discount / 3), try Self.discount(discount - discount / 3)]
            let rate = try #require(TaxRate.allCases.randomElement(using: &random))
            let order = try Order(
                lines: lines,
                tax: .zero,
                adjustments: adjustments,
                postageRate: rate,
                sparing: postage
            )
            let bases = try #require(order.bases(with: postage))
            #expect(bases.total == order.beforePostage + postage.amount)
            #expect(bases.tax == bases.rates.reduce(0) { $0 + bases.tax(at: $1) })
            let postageRate = rate
            let left = max(sum - discount, 0)
            for rate in TaxRate.allCases {
                let paid = lines.reduce(0) { $0 + ($1.article.taxRate == rate ? $1.sum.amount : 0) }
                let before = try #require(order.bases)[rate]
                // What the lines cannot pay is taken off the postage.
                let rest = rate == postageRate ? max(discount - sum, 0) : 0
                #expect(before >= -rest && before <= paid && bases[rate] >= 0)
                // The exact share of what is left, to less than one unit.
                let exact = Double(paid) * Double(left) / Double(max(sum, 1)) - Double(rest)
                #expect(abs(Double(before) - exact) < 1.001)
                let tax = bases.tax(at: rate)
                let percent = rate.percent
                #expect(tax * (100 + percent) <= bases[rate] * percent)
                #expect((tax + 1) * (100 + percent) > bases[rate] * percent)
            }
            let back = try Order(json: order.json, subtotal: order.subtotal, beforePostage: order.beforePostage)
            #expect(back == order)
        }
    }

    @Test func `is refused where prices with tax and without meet`() throws {
        let with = Article(id: "a", name: "A", price: Yen(108), taxRate: .reduced)
        let without = Article(id: "b", name: "B", price: Yen(100))
        let lines = [try OrderLine(article: with, quantity: 1), try OrderLine(article: without, quantity: 1)]
        let mixed = #expect(throws: CommerceError.self) { try Order(lines: lines) }
        #expect(mixed?.code == .mixed)
        let twice = #expect(throws: CommerceError.self) { try Order(lines: [lines[0]], tax: Yen(8)) }
        #expect(twice?.code == .mixed)
    }
}
