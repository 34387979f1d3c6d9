package import Commerce
import Primitives
import ServiceAPI
package import StrictJSON
package import Web

extension JSONValue {
    /// An amount: `{"amount":"27456","currencyCode":"JPY"}`.
    package init(money: Money) {
        self = ["amount": .string(money.text), "currencyCode": .string(money.currency.rawValue)]
    }

    /// An amount, or `null` where it is not known yet.
    package init(optionalMoney money: Money?) {
        if let money { self.init(money: money) } else { self = .null }
    }

    /// An adjustment: `{"name":"Points","amount":{"amount":"-500","currencyCode":"JPY"}}`.
    package init(adjustment: Adjustment, _ currency: Currency) {
        let text = Money(units: abs(adjustment.units), currency)?.text ?? ""
        let amount: JSONValue = [
            "amount": .string((adjustment.units < 0 ? "-" : "") + text), "currencyCode": .string(currency.rawValue),
        ]
        let members = [JSONMember("name", .string(adjustment.name)), JSONMember("amount", amount)]
        self = .object(members + JSONMember.taxRate(adjustment.taxRate))
    }
}

extension JSONReader {
    /// Takes an amount.
    ///
    /// - Throws: `invalid_request` where it is absent or no object; `invalid_amount` where it is not as amounts are written: a
    ///   decimal text, never a number, and the code of a currency.
    package mutating func money(_ name: String) throws(Failure) -> Money {
        guard let money = try optionalMoney(name) else { throw Failure(refusal(name, .missing)) }
        return money
    }

    /// Takes an amount that may be absent.
    ///
    /// - Returns: The sum; `nil` where it is absent or `null`.
    /// - Throws: As `money`.
    package mutating func optionalMoney(_ name: String) throws(Failure) -> Money? {
        try optionalAmount(name)?.money
    }

    /// Takes an amount that may have a minus before its digits.
    ///
    /// - Returns: Minor units, and of which currency.
    /// - Throws: As `money`.
    package mutating func signedMoney(_ name: String) throws(Failure) -> (units: Int64, currency: Currency) {
        guard let (money, isNegative) = try optionalAmount(name, signed: true) else {
            throw Failure(refusal(name, .missing))
        }
        return (isNegative ? -money.units : money.units, money.currency)
    }

    private mutating func optionalAmount(
        _ name: String,
        signed: Bool = false
    ) throws(Failure) -> (money: Money, isNegative: Bool)? {
        let path = refusal(name, .missing).path
        let found: JSONReader?
        do throws(JSONRefusal) { found = try optionalObject(name) } catch { throw Failure(error) }
        guard var object = found else { return nil }
        let amount = object.value("amount")?.text
        let isNegative = signed && amount?.octets.starts(with: "-") == true
        guard let digits = amount?.utf8.dropFirst(isNegative ? 1 : 0), let code = object.value("currencyCode")?.text,
            let currency = Currency(word: code.octets), let money = Money.parse(String(Substring(digits)), currency)
        else {
            throw Failure(
                .invalidAmount,
                message: "An amount is {\"amount\":\"1200\",\"currencyCode\":\"JPY\"}: digits as a text.",
                field: path
            )
        }
        let rest = object
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        return (money, isNegative)
    }
}

extension JSONMember {
    /// The rate of a line or an adjustment: without one no member, as it always was for prices that exclude tax.
    static func taxRate(_ rate: TaxRate?) -> [JSONMember] {
        rate.map { [JSONMember("taxRate", JSONValue($0.rawValue))] } ?? []
    }
}
