import Commerce
import Testing

@Suite("Money in a currency")
struct CurrencyTests {
    /// The same numbers at each run; nothing here is a secret.
    struct Sequence: RandomNumberGenerator {
        var state: UInt64 = 42

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(
        arguments: [
            ("0", .jpy, 0, "0"), ("27456", .jpy, 27_456, "27456"),
            ("999999999999", .jpy, 999_999_999_999, "999999999999"),
            ("0", .usd, 0, "0.00"), ("12.5", .usd, 1_250, "12.50"), ("12.50", .eur, 1_250, "12.50"),
            ("12.05", .gbp, 1_205, "12.05"), ("12", .usd, 1_200, "12.00"), ("0.01", .usd, 1, "0.01"),
            ("0.1", .usd, 10, "0.10"), ("0.29", .usd, 29, "0.29"), ("0.57", .eur, 57, "0.57"),
            ("1.15", .gbp, 115, "1.15"),
            ("9999999999.99", .usd, 999_999_999_999, "9999999999.99"),
        ] as [(String, Currency, Int64, String)]
    )
    func `is read and written by its digits`(text: String, currency: Currency, units: Int64, written: String) {
        let money = Money.parse(text, currency)
        #expect(money?.units == units)
        #expect(money?.currency == currency)
        #expect(money?.text == written)
    }

    @Test(
        arguments: [
            "", " ", "-1", "+1", "01", "00", "1 ", " 1", "1,000", "1e3", "0x10", ".", ".5", "1.", "1.-5", "1.+5",
            "1. 5",
            "1.505", "1.500", "1..5", "1.5.0", "1,5", "１２", "1.５", "NaN", "10000000000", "99999999999999999999",
            "1\u{301}",
        ]
    )
    func `is read from no other text`(text: String) {
        for currency in [Currency.usd, .eur, .gbp] { #expect(Money.parse(text, currency) == nil) }
    }

    @Test(arguments: ["", "-1", "01", "1.0", "1.", ".5", "1,000", "1e3", "1000000000000", "１２", "1 "])
    func `in yen is whole`(text: String) {
        #expect(Money.parse(text, .jpy) == nil)
    }

    @Test(arguments: Currency.allCases)
    func `of any size is read as it was written`(currency: Currency) throws {
        var numbers = Sequence()
        for _ in 0..<10_000 {
            let units = Int64.random(in: 0..<Money.limit, using: &numbers) >> Int64.random(in: 0..<40, using: &numbers)
            let money = try #require(Money(units: units, currency))
            #expect(Money.parse(money.text, currency) == money)
        }
    }

    @Test func `is yen only in yen`() throws {
        #expect(Money(Yen(28_536)).yen == Yen(28_536))
        #expect(Money(Yen(28_536)).text == "28536")
        for currency in [Currency.usd, .eur, .gbp] {
            let money = try #require(Money(units: 28_536, currency))
            #expect(money.yen == nil)
            #expect(money != Money(Yen(28_536)))
        }
    }

    @Test func `is added and subtracted within its bounds`() throws {
        let most = try #require(Money(units: Money.limit, .usd))
        let cent = try #require(Money(units: 1, .usd))
        #expect(Money(units: -1, .usd) == nil)
        #expect(Money(units: Money.limit + 1, .usd) == nil)
        #expect(try cent.adding(cent).units == 2)
        #expect(try most.subtracting(cent).units == Money.limit - 1)
        #expect(try most.subtracting(most).units == 0)
        #expect(code { () throws(CommerceError) in try most.adding(cent) } == .overflow)
        #expect(code { () throws(CommerceError) in try cent.subtracting(most) } == .overflow)
    }

    @Test func `is never mixed with another currency`() throws {
        let cent = try #require(Money(units: 1, .usd))
        let penny = try #require(Money(units: 1, .gbp))
        #expect(code { () throws(CommerceError) in try cent.adding(penny) } == .currency)
        #expect(code { () throws(CommerceError) in try cent.subtracting(penny) } == .currency)
        #expect(code { () throws(CommerceError) in try Money(Yen(1)).adding(cent) } == .currency)
    }

    private func code(_ body: () throws(CommerceError) -> Money) -> CommerceError.Code? {
        do throws(CommerceError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }
}
