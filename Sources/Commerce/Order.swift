import Primitives

/// Some pieces of one article, at the price of the moment the order was made.
package struct OrderLine: Sendable, Hashable {
    /// What is bought, with its price at that moment.
    package let article: Article
    /// 1 to 99.
    package let quantity: Int
    /// Price times quantity, tax excluded.
    package let sum: Yen

    /// The greatest quantity of one article.
    package static let maximumQuantity = 99

    /// A line.
    ///
    /// - Parameters:
    ///   - article: What is bought.
    ///   - quantity: 1 to 99.
    /// - Throws: `quantity` outside these bounds; `overflow`.
    package init(article: Article, quantity: Int) throws(CommerceError) {
        guard quantity >= 1, quantity <= OrderLine.maximumQuantity else {
            throw CommerceError(.quantity, "\(quantity) pieces of \(article.id)")
        }
        self.article = article
        self.quantity = quantity
        sum = try article.price.times(quantity)
    }

    /// The quantity that a form field stands for, or `nil` where it is none.
    ///
    /// - Parameter text: `0` to `99` in ASCII digits, without sign, blank or leading zero.
    /// - Returns: 0 to 99.
    package static func parseQuantity(_ text: String) -> Int? {
        let digits = Array(text.utf8)
        return DecimalDigits.parse(digits.span, limit: maximumQuantity)
    }
}

/// What is bought, priced by the server; the postage comes later.
package struct Order: Sendable, Hashable {
    /// At least one, no article twice.
    package let lines: [OrderLine]
    /// The sum of the lines, tax excluded.
    package let subtotal: Yen
    /// The subtotal with tax, rounded down once, at the end.
    package let taxIncluded: Yen

    /// An order, priced now.
    ///
    /// - Parameter lines: At least one, no article twice.
    /// - Throws: `empty`, `quantity` for an article twice, `overflow`.
    package init(lines: [OrderLine]) throws(CommerceError) {
        guard !lines.isEmpty else { throw CommerceError(.empty, "an order without lines") }
        guard Set(lines.map(\.article.id)).count == lines.count else {
            throw CommerceError(.quantity, "an article twice")
        }
        var subtotal = Yen.zero
        for line in lines { subtotal = try subtotal.adding(line.sum) }
        self.lines = lines
        self.subtotal = subtotal
        taxIncluded = try subtotal.withTax()
    }

    /// An order as it was stored, with the sums of that day.
    ///
    /// - Parameters:
    ///   - json: What `json` wrote.
    ///   - subtotal: What was stored beside it.
    ///   - taxIncluded: What was stored beside it; kept even if the tax has changed since.
    /// - Throws: `malformed` when the JSON is not ours or its lines do not add up to the subtotal.
    package init(json: String, subtotal: Yen, taxIncluded: Yen) throws(CommerceError) {
        let priced = try Order(lines: Order.lines(from: json))
        guard priced.subtotal == subtotal else {
            throw CommerceError(.malformed, "lines of \(priced.subtotal.digits) with a subtotal of \(subtotal.digits)")
        }
        lines = priced.lines
        self.subtotal = subtotal
        self.taxIncluded = taxIncluded
    }

    /// The lines as canonical JSON: an array of objects with the keys `id`, `name`, `price`, `quantity` in this order.
    package var json: String {
        let values = lines.map { line in
            JSONValue.object([
                ("id", .text(line.article.id)), ("name", .text(line.article.name)),
                ("price", .number(line.article.price.amount)), ("quantity", .number(Int64(line.quantity))),
            ])
        }
        return JSONValue.array(values).text
    }

    private static func lines(from json: String) throws(CommerceError) -> [OrderLine] {
        guard case .array(let values) = try JSONValue(json) else {
            throw CommerceError(.malformed, "a cart that is no array")
        }
        var lines: [OrderLine] = []
        for value in values {
            guard let id = value["id"]?.textValue, let name = value["name"]?.textValue,
                let price = value["price"]?.numberValue.flatMap({ Yen(exactly: $0) }),
                let quantity = value["quantity"]?.numberValue
            else { throw CommerceError(.malformed, "a cart line without its four members") }
            lines.append(try OrderLine(article: Article(id: id, name: name, price: price), quantity: Int(quantity)))
        }
        return lines
    }
}
