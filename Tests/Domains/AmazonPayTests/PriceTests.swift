import AmazonPay
import Commerce
import Foundation
import Testing

@Suite("A price")
struct PriceTests {
    private func price(_ amount: String, _ currency: String) -> Price? {
        let json = #"{"amount":\#(amount),"currencyCode":"\#(currency)","more":null}"#
        return try? JSONDecoder().decode(Price.self, from: Data(json.utf8))
    }

    @Test(
        arguments: [
            (#""12.50""#, "USD", 1_250), (#""12.5""#, "USD", 1_250), ("12.5", "EUR", 1_250), ("12", "GBP", 1_200),
            (#""12.5000""#, "USD", 1_250), ("0.29", "USD", 29), ("1.15", "EUR", 115),
            ("9999999999.99", "USD", 999_999_999_999),
            (#""28536""#, "JPY", 28_536), (#""28536.00""#, "JPY", 28_536), ("28536", "JPY", 28_536),
        ] as [(String, String, Int64)]
    )
    func `is read to the last coin, as text and as number`(amount: String, currency: String, units: Int64) {
        let price = price(amount, currency)
        #expect(price?.money?.units == units)
        #expect(price?.money?.currency.rawValue == currency)
        #expect((price?.yen == nil) == (currency != "JPY"))
    }

    @Test(arguments: [
        (#""28536""#, "KRW"), (#""28536""#, "jpy"), (#""28536.5""#, "JPY"), (#""12.505""#, "USD"), (#""-1""#, "JPY"),
        ("-1", "JPY"),
        (#""１""#, "JPY"), (#""28,536""#, "JPY"), (#""01""#, "JPY"), (#""1e3""#, "JPY"),
        (#""99999999999999999999""#, "JPY"),
        (#""5.""#, "USD"), (#"".5""#, "USD"), (#""5.€""#, "JPY"), (#""5.00€""#, "USD"), (#""5.0é""#, "USD"),
    ])
    func `that is not understood survives as text, and is no money`(amount: String, currency: String) throws {
        let price = try #require(self.price(amount, currency))
        #expect(price.money == nil)
        #expect(price.yen == nil)
        #expect(price.currencyCode == currency)
        #expect(price.amountText == amount.replacing("\"", with: ""))
    }

    @Test(arguments: [#""""#, "null", "true", "{}", "[1]"])
    func `needs an amount`(amount: String) {
        #expect(price(amount, "JPY") == nil)
    }

    @Test func `is written as the provider writes it`() throws {
        for (price, text) in [
            (Price(Yen(28_536)), #"{"amount":"28536","currencyCode":"JPY"}"#),
            (Price(try #require(Money(units: 1_250, .usd))), #"{"amount":"12.50","currencyCode":"USD"}"#),
            (Price(try #require(Money(units: 5, .eur))), #"{"amount":"0.05","currencyCode":"EUR"}"#),
        ] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            #expect(String(decoding: try encoder.encode(price), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(Price.self, from: Data(text.utf8)) == price)
        }
    }
}
