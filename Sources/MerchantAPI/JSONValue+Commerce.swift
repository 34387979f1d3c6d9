package import Commerce
package import Primitives
package import StrictJSON

extension JSONValue {
    /// An amount: `{"amount":"27456","currencyCode":"JPY"}`.
    ///
    /// - Parameter money: Any sum.
    package init(money: Money) {
        self = ["amount": .string(money.text), "currencyCode": .string(money.currency.rawValue)]
    }

    /// An amount, or `null` where it is not known yet.
    ///
    /// - Parameter money: A sum, or none.
    package init(optionalMoney money: Money?) {
        if let money { self.init(money: money) } else { self = .null }
    }

    /// A time, or `null` where there is none.
    ///
    /// - Parameter time: A time, or none.
    package init(optionalTime time: WallTime?) {
        if let time { self.init(time: time) } else { self = .null }
    }

    /// A time, RFC 3339 to the second: `2026-11-21T14:00:00Z`.
    ///
    /// - Parameter time: Any time.
    package init(time: WallTime) {
        self = .string(CalendarDate(time).extendedText)
    }
}

extension JSONReader {
    /// Takes an amount.
    ///
    /// - Parameter name: The whole name.
    /// - Returns: The sum.
    /// - Throws: `invalid_request` where it is absent or no object; `invalid_amount` where it is not as amounts are written: a decimal
    ///   text, never a number, and the code of a currency.
    package mutating func money(_ name: String) throws(Problem) -> Money {
        guard let money = try optionalMoney(name) else { throw Problem(refusal(name, .missing)) }
        return money
    }

    /// Takes an amount that may be absent.
    ///
    /// - Parameter name: The whole name.
    /// - Returns: The sum; `nil` where it is absent or `null`.
    /// - Throws: As `money`.
    package mutating func optionalMoney(_ name: String) throws(Problem) -> Money? {
        let path = refusal(name, .missing).path
        let found: JSONReader?
        do throws(JSONRefusal) { found = try optionalObject(name) } catch { throw Problem(error) }
        guard var object = found else { return nil }
        guard let amount = object.value("amount")?.text, let code = object.value("currencyCode")?.text,
            let currency = Currency(rawValue: code), let money = Money.parse(amount, currency)
        else {
            throw Problem(
                .invalidAmount,
                "An amount is {\"amount\":\"1200\",\"currencyCode\":\"JPY\"}: digits as a text, two decimals at most but for JPY.",
                field: path
            )
        }
        let rest = object
        try Problem.reading { () throws(JSONRefusal) in try rest.end() }
        return money
    }
}
