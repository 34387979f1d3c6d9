/// Something that can be bought.
package struct Article: Sendable, Hashable {
    /// For example `item0008`; names the picture in `public/img` too.
    package let id: String
    /// As the buyer sees it.
    package let name: String
    /// Of one piece; tax included where it has a rate, else excluded.
    package let price: Yen
    /// At which it is taxed; `nil` where the price excludes tax.
    package let taxRate: TaxRate?

    /// An article.
    ///
    /// - Parameters:
    ///   - id: Unique in the catalogue, `[a-z0-9]+`.
    ///   - price: Of one piece; tax included where it has a rate, else excluded.
    ///   - taxRate: At which it is taxed; `nil` where the price excludes tax.
    package init(id: String, name: String, price: Yen, taxRate: TaxRate? = nil) {
        self.id = id
        self.name = name
        self.price = price
        self.taxRate = taxRate
    }
}

/// What the shop sells, at prices that include tax.
package struct Catalogue: Sendable {
    /// One article with the form field that carries its quantity.
    package struct Entry: Sendable, Hashable {
        /// What is sold.
        package let article: Article
        /// The name of the field in the body of `POST /secureWebviewSession`.
        package let field: String

        /// An entry.
        ///
        /// - Parameters:
        ///   - id: Of the article; unique in the catalogue, `[a-z0-9]+`.
        ///   - field: `[a-z0-9]+`, unique in the catalogue.
        package init(id: String, name: String, price: Yen, taxRate: TaxRate, field: String) {
            article = Article(id: id, name: name, price: price, taxRate: taxRate)
            self.field = field
        }
    }

    /// In the order of the cart page.
    package let entries: [Entry]

    /// A catalogue.
    ///
    /// - Parameter entries: In the order of the cart page.
    package init(entries: [Entry]) {
        self.entries = entries
    }

    /// The two tablets of the vendor's sample shop, which has them at 8,980 and 15,980 yen without tax.
    package static let sample = Catalogue(entries: [
        Entry(id: "item0008", name: "Fire HD8", price: Yen(9_878), taxRate: .standard, field: "hd8"),
        Entry(id: "item0010", name: "Fire HD10", price: Yen(17_578), taxRate: .standard, field: "hd10"),
    ])

    /// The order of the given quantities at today's prices.
    ///
    /// - Parameter quantities: By field name; a missing one counts as none, one that is no field of the catalogue is ignored.
    /// - Returns: Lines in the order of the catalogue.
    /// - Throws: `quantity` outside 0 to 99, `empty` when nothing is left, `overflow`.
    package func order(_ quantities: [String: Int]) throws(CommerceError) -> Order {
        try order { quantities[$0.field] ?? 0 }.get()
    }

    /// The order of some quantities at today's prices.
    ///
    /// - Parameter quantity: Of one entry; asked for each of them.
    /// - Returns: Lines in the order of the catalogue; `quantity` outside 0 to 99, `empty` when nothing is left, `overflow`.
    /// - Throws: What the function throws.
    package func order<Refusal: Error>(
        _ quantity: (Entry) throws(Refusal) -> Int
    ) throws(Refusal) -> Result<Order, CommerceError> {
        var lines: [OrderLine] = []
        lines.reserveCapacity(entries.count)
        for entry in entries {
            let quantity = try quantity(entry)
            guard quantity != 0 else { continue }
            guard quantity <= OrderLine.maximumFormQuantity else {
                return .failure(CommerceError(.quantity, "\(quantity) pieces of \(entry.article.id)"))
            }
            do throws(CommerceError) {
                lines.append(try OrderLine(article: entry.article, quantity: quantity))
            } catch {
                return .failure(error)
            }
        }
        do throws(CommerceError) { return .success(try Order(lines: lines)) } catch { return .failure(error) }
    }
}
