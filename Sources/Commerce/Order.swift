import Primitives

/// Some pieces of one article, at the price of the moment the order was made.
package struct OrderLine: Sendable, Hashable {
    /// What is bought, with its price at that moment.
    package let article: Article
    /// 1 to 9,999.
    package let quantity: Int
    /// Price times quantity, tax excluded.
    package let sum: Yen

    /// The greatest quantity of one article.
    package static let maximumQuantity = 9_999
    /// The greatest quantity that the form of the shop's own cart takes.
    package static let maximumFormQuantity = 99

    /// A line.
    ///
    /// - Parameters:
    ///   - article: What is bought.
    ///   - quantity: 1 to 9,999.
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
        DecimalDigits.parse(text.utf8Span.span, limit: maximumFormQuantity)
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
    /// The tax on the lines.
    package var tax: Yen { Yen(exactly: taxIncluded.amount - subtotal.amount) ?? .zero }
    /// What comes on top or is taken off, in the merchant's order.
    package let adjustments: [Adjustment]
    /// What is paid but for the postage: tax and adjustments included.
    package let beforePostage: Yen

    /// An order, priced now.
    ///
    /// - Parameter lines: At least one, no article twice.
    /// - Throws: `empty`, `quantity` for an article twice, `overflow`.
    package init(lines: [OrderLine]) throws(CommerceError) {
        guard !lines.isEmpty else { throw CommerceError(.empty, "an order without lines") }
        guard !Order.hasTwice(lines) else { throw CommerceError(.quantity, "an article twice") }
        var subtotal = Yen.zero
        for line in lines { subtotal = try subtotal.adding(line.sum) }
        self.lines = lines
        self.subtotal = subtotal
        taxIncluded = try subtotal.withTax()
        adjustments = []
        beforePostage = taxIncluded
    }

    /// An order at a merchant's prices, with the tax that the merchant computed.
    ///
    /// - Parameters:
    ///   - lines: At least one, no article twice.
    ///   - tax: On all of them.
    ///   - adjustments: What comes on top or is taken off.
    /// - Throws: `empty`, `quantity` for an article twice, `overflow` also where more is taken off than there is.
    package init(lines: [OrderLine], tax: Yen, adjustments: [Adjustment] = []) throws(CommerceError) {
        let priced = try Order(lines: lines)
        self.lines = lines
        self.adjustments = adjustments
        subtotal = priced.subtotal
        taxIncluded = try priced.subtotal.adding(tax)
        guard let rest = Yen(exactly: taxIncluded.amount + adjustments.units) else {
            throw CommerceError(.overflow, "adjustments of \(adjustments.units) yen")
        }
        beforePostage = rest
    }

    /// An order as it was stored, with the sums of that day.
    ///
    /// - Parameters:
    ///   - json: What `json` wrote.
    ///   - subtotal: What was stored beside it.
    ///   - beforePostage: What was stored beside it; kept even if the tax has changed since.
    /// - Throws: `malformed` when the JSON is not ours or its lines do not add up to the subtotal.
    package init(json: [UInt8], subtotal: Yen, beforePostage: Yen) throws(CommerceError) {
        let (read, adjustments) = try Order.parts(from: json)
        let priced = try Order(lines: read)
        guard priced.subtotal == subtotal else {
            throw CommerceError(.malformed, "lines of \(priced.subtotal.digits) with a subtotal of \(subtotal.digits)")
        }
        guard let taxIncluded = Yen(exactly: beforePostage.amount - adjustments.units) else {
            throw CommerceError(.malformed, "adjustments that do not fit the sums")
        }
        lines = priced.lines
        self.subtotal = subtotal
        self.taxIncluded = taxIncluded
        self.adjustments = adjustments
        self.beforePostage = beforePostage
    }

    /// Whether two lines are of one article.
    private static func hasTwice(_ lines: [OrderLine]) -> Bool {
        // Of a handful comparing each with those before it needs no set.
        guard lines.count <= 16 else { return Set(lines.map(\.article.id.octets)).count < lines.count }
        return lines.indices.dropFirst().contains { index in
            let id = lines[index].article.id.octets
            return lines[..<index].contains { $0.article.id.octets == id }
        }
    }

    /// Lines and adjustments as canonical JSON: an array of objects with the keys `id`, `name`, `price`, `quantity` in this
    /// order, then of objects with `discount` or `fee`, which is the name, and `amount`.
    package var json: [UInt8] {
        var writer = CanonicalJSONWriter()
        writer.append(literal: "[")
        for index in lines.indices {
            writer.append(literal: index == 0 ? "{\"id\":" : ",{\"id\":")
            writer.append(lines[index].article.id)
            writer.append(literal: ",\"name\":")
            writer.append(lines[index].article.name)
            writer.append(literal: ",\"price\":")
            writer.append(lines[index].article.price.amount)
            writer.append(literal: ",\"quantity\":")
            writer.append(Int64(lines[index].quantity))
            writer.append(literal: "}")
        }
        for adjustment in adjustments {
            writer.append(literal: adjustment.units < 0 ? ",{\"discount\":" : ",{\"fee\":")
            writer.append(adjustment.name)
            writer.append(literal: ",\"amount\":")
            writer.append(abs(adjustment.units))
            writer.append(literal: "}")
        }
        writer.append(literal: "]")
        return writer.bytes
    }

    private static func parts(from json: [UInt8]) throws(CommerceError) -> ([OrderLine], [Adjustment]) {
        var reader = CanonicalJSONReader(json)
        var lines: [OrderLine] = []
        var adjustments: [Adjustment] = []
        try reader.expect("[")
        repeat {
            if reader.take("{\"discount\":") {
                adjustments.append(try adjustment(&reader, sign: -1))
            } else if reader.take("{\"fee\":") {
                adjustments.append(try adjustment(&reader, sign: 1))
            } else {
                lines.append(try line(&reader))
            }
        } while reader.take(",")
        try reader.expect("]")
        try reader.end()
        return (lines, adjustments)
    }

    private static func adjustment(_ reader: inout CanonicalJSONReader, sign: Int64) throws(CommerceError) -> Adjustment
    {
        let name = try reader.text()
        try reader.expect(",\"amount\":")
        // At most fifteen digits.
        guard let adjustment = Adjustment(name: name, units: sign * (try reader.number())) else {
            throw CommerceError(.malformed, "an adjustment above \(Money.limit) yen")
        }
        try reader.expect("}")
        return adjustment
    }

    private static func line(_ reader: inout CanonicalJSONReader) throws(CommerceError) -> OrderLine {
        try reader.expect("{\"id\":")
        let id = try reader.text()
        try reader.expect(",\"name\":")
        let name = try reader.text()
        try reader.expect(",\"price\":")
        guard let price = Yen(exactly: try reader.number()) else {
            throw CommerceError(.malformed, "a price above \(Yen.limit) yen")
        }
        try reader.expect(",\"quantity\":")
        let quantity = Int(try reader.number())
        try reader.expect("}")
        return try OrderLine(article: Article(id: id, name: name, price: price), quantity: quantity)
    }
}
