import Commerce
import Primitives
import ServiceAPI
import StrictJSON
import Web

/// Reads what a request says about tax, and refuses what would say it twice.
///
/// An order has prices that include tax and a rate for each line, or prices that exclude it and one sum of tax. Where both were
/// taken, nobody could say which of them the buyer pays.
struct PriceReader {
    /// Whether the prices include tax.
    let includesTax: Bool

    /// The tax that comes on top of the lines: nothing where the prices include it.
    func tax(_ reader: inout JSONReader, _ currency: Currency) throws(Failure) -> Money {
        guard includesTax else {
            let tax = try reader.money("tax")
            guard tax.currency == currency else {
                throw Failure(.invalidAmount, message: "Not the currency of the order.", field: "tax.currencyCode")
            }
            return tax
        }
        guard try reader.optionalMoney("tax") == nil else {
            throw Failure(
                field: "tax",
                "is not allowed if pricesIncludeTax is true: the tax is computed from the rates"
            )
        }
        return .nothing(currency)
    }

    /// The rate of a part of the order.
    func rate(_ reader: inout JSONReader, of part: String, isRequired: Bool = false) throws(Failure) -> TaxRate? {
        let number = try Failure.reading { () throws(JSONRefusal) in try reader.optionalInteger("taxRate") }
        let field = "\(part).taxRate"
        guard let number else {
            guard isRequired, includesTax else { return nil }
            throw Failure(field: field, "is required if pricesIncludeTax is true")
        }
        guard includesTax else {
            throw Failure(field: field, "is allowed only if pricesIncludeTax is true")
        }
        guard let rate = TaxRate(rawValue: number) else {
            let rates = TaxRate.allCases.map { String($0.rawValue) }.joined(separator: ", ")
            throw Failure(.invalidRequest, message: "One of \(rates).", field: field)
        }
        return rate
    }
}
