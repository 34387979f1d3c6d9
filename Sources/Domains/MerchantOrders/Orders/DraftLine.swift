package import Commerce
import Primitives

/// One kind of article in an order, at the merchant's price.
package struct DraftLine: Sendable, Hashable {
    /// The merchant's name for the article: 1 to 64 printable characters.
    package let id: String
    /// What the buyer reads: 1 to 120 printable characters.
    package let name: String
    /// The price of one, tax included where the line has a rate; may be nothing.
    package let unitPrice: Money
    /// At which it is taxed; `nil` where the price excludes tax.
    package let taxRate: TaxRate?
    /// 1 to 9,999.
    package let quantity: Int
    /// The price of all of them.
    package let sum: Money

    /// The greatest number of one article.
    package static let maximumQuantity = OrderLine.maximumQuantity

    /// A line of an order.
    ///
    /// - Parameters:
    ///   - id: 1 to 64 printable characters.
    ///   - name: 1 to 120 printable characters.
    ///   - unitPrice: The price of one, tax included where the line has a rate.
    ///   - quantity: 1 to 9,999.
    ///   - taxRate: At which it is taxed; `nil` where the price excludes tax.
    ///   - claimedSum: What the merchant takes for the price of all, where it said so.
    /// - Throws: `invalid`, `amount` where the price of all leaves the bounds of `Money`, `sum` where another one was claimed.
    package init(
        id: String,
        name: String,
        unitPrice: Money,
        quantity: Int,
        taxRate: TaxRate? = nil,
        claimedSum: Money? = nil
    ) throws(DraftRefusal) {
        let id = try DraftRefusal.cleaned(id, "id", 1...64)
        let name = try DraftRefusal.cleaned(name, "name", 1...120)
        guard quantity >= 1, quantity <= DraftLine.maximumQuantity else {
            throw DraftRefusal(.invalid, "quantity", "1 to \(DraftLine.maximumQuantity)")
        }
        // At most a trillion times 9,999: no overflow.
        guard let sum = Money(units: unitPrice.units * Int64(quantity), unitPrice.currency) else {
            throw DraftRefusal(.amount, "unitPrice", "the sum of the line exceeds the limit of an order")
        }
        if let claimedSum, claimedSum != sum {
            throw DraftRefusal(.sum, "sum", "unit price times quantity is \(sum.text) \(sum.currency.rawValue)")
        }
        self.id = id
        self.name = name
        self.unitPrice = unitPrice
        self.quantity = quantity
        self.taxRate = taxRate
        self.sum = sum
    }
}
