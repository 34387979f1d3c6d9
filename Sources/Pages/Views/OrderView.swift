/// Whole yen.
package typealias Yen = Int64

/// The table of an order.
package struct OrderView: Sendable {
    /// One row.
    package struct Line: Sendable {
        /// The article's name.
        package let name: String
        /// Price of one piece without tax.
        package let unitPrice: Yen
        /// How many pieces.
        package let quantity: Int
        /// Price of the row without tax.
        package let total: Yen

        /// Puts a row together.
        ///
        /// - Parameters:
        ///   - name: Any text.
        ///   - unitPrice: Without tax.
        ///   - quantity: One or more.
        ///   - total: Without tax.
        package init(name: String, unitPrice: Yen, quantity: Int, total: Yen) {
            self.name = name
            self.unitPrice = unitPrice
            self.quantity = quantity
            self.total = total
        }
    }

    /// The rows.
    package let lines: [Line]
    /// Sum of the rows, without tax.
    package let subtotal: Yen
    /// Sum of the rows with tax.
    package let taxIncluded: Yen
    /// Postage; `nil` until the address is known, shown as `-`.
    package let postage: Yen?
    /// What is paid; `nil` until the address is known, shown as `-`.
    package let total: Yen?

    /// Puts the table together.
    ///
    /// - Parameters:
    ///   - lines: At least one.
    ///   - subtotal: Without tax.
    ///   - taxIncluded: With tax.
    ///   - postage: `nil` until the address is known.
    ///   - total: `nil` until the address is known.
    package init(lines: [Line], subtotal: Yen, taxIncluded: Yen, postage: Yen?, total: Yen?) {
        self.lines = lines
        self.subtotal = subtotal
        self.taxIncluded = taxIncluded
        self.postage = postage
        self.total = total
    }
}

/// Where the order goes.
package struct DestinationView: Sendable {
    /// The recipient.
    package let name: String
    /// Such as `100-0001`; empty where there is none.
    package let postalCode: String
    /// The address from the largest part to the smallest, without empty lines.
    package let lines: [String]
    /// Empty where there is none.
    package let phone: String

    /// Puts the destination together.
    ///
    /// - Parameters:
    ///   - name: The recipient.
    ///   - postalCode: May be empty.
    ///   - lines: From the largest part to the smallest.
    ///   - phone: May be empty.
    package init(name: String, postalCode: String, lines: [String], phone: String) {
        self.name = name
        self.postalCode = postalCode
        self.lines = lines
        self.phone = phone
    }
}
