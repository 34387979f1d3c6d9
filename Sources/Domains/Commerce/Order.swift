import Primitives

/// Some pieces of one article, at the price of the moment the order was made.
package struct OrderLine: Sendable, Hashable {
    /// What is bought, with its price at that moment.
    package let article: Article
    /// 1 to 9,999.
    package let quantity: Int
    /// Price times quantity.
    package let sum: Yen

    /// The greatest quantity of one article.
    package static let maximumQuantity = 9_999
    /// The greatest quantity that the form of the shop's own cart takes.
    package static let maximumFormQuantity = 99

    /// A line.
    ///
    /// - Parameters:
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
    /// The sum of the lines at their prices.
    package let subtotal: Yen
    /// The subtotal with tax: the subtotal itself where the prices include tax.
    package let taxIncluded: Yen
    /// The tax that comes on top of the lines; nothing where the prices include it.
    package var tax: Yen { Yen(exactly: taxIncluded.amount - subtotal.amount) ?? .zero }
    /// What is paid at each rate but for the postage; `nil` where the prices exclude tax.
    package let bases: TaxBases?
    /// At which the postage is taxed, where the prices include tax.
    package let postageRate: TaxRate
    /// What comes on top or is taken off, in the merchant's order.
    package let adjustments: [Adjustment]
    /// What is paid but for the postage, in whole yen: tax and adjustments included; below zero where discounts pay a part of the
    /// postage.
    package let beforePostage: Int64

    /// An order, priced now; ten per cent come on top where the prices exclude tax.
    ///
    /// - Parameter lines: At least one, no article twice; all with a rate, or none.
    /// - Throws: `empty`, `quantity` for an article twice, `mixed`, `overflow`.
    package init(lines: [OrderLine]) throws(CommerceError) {
        subtotal = try Order.subtotal(lines)
        bases = try Order.bases(lines, [])
        self.lines = lines
        taxIncluded = bases == nil ? try subtotal.withTax() : subtotal
        adjustments = []
        beforePostage = taxIncluded.amount
        postageRate = .standard
    }

    /// An order at a merchant's prices, with the tax that the merchant computed.
    ///
    /// - Parameters:
    ///   - lines: At least one, no article twice; all with a rate, or none.
    ///   - tax: On all of them; nothing where they have rates.
    ///   - adjustments: What comes on top or is taken off.
    ///   - postageRate: At which the postage is taxed, where the lines have rates.
    ///   - postage: Of which discounts may take off something, too; nothing where it is not known.
    /// - Throws: `empty`, `quantity` for an article twice, `mixed`, `overflow` also where more is taken off than there is.
    package init(
        lines: [OrderLine],
        tax: Yen,
        adjustments: [Adjustment] = [],
        postageRate: TaxRate = .standard,
        sparing postage: Yen = .zero
    ) throws(CommerceError) {
        subtotal = try Order.subtotal(lines)
        bases = try Order.bases(lines, adjustments, (postageRate, postage.amount))
        self.lines = lines
        self.adjustments = adjustments
        self.postageRate = postageRate
        taxIncluded = try subtotal.adding(tax)
        guard bases == nil || tax == .zero else { throw CommerceError(.mixed, "a tax on prices that include it") }
        beforePostage = taxIncluded.amount + adjustments.units
        guard (-postage.amount...Yen.limit).contains(beforePostage) else {
            throw CommerceError(.overflow, "adjustments of \(adjustments.units) yen")
        }
    }

    /// An order as it was stored, with the sums of that day.
    ///
    /// - Parameters:
    ///   - json: What `json` wrote.
    ///   - beforePostage: What was stored beside it; kept even if the tax has changed since.
    /// - Throws: `malformed` when the JSON is not ours or its lines do not add up to the subtotal.
    package init(json: [UInt8], subtotal: Yen, beforePostage: Int64) throws(CommerceError) {
        let parts = try Order.parts(from: json)
        lines = parts.lines
        adjustments = parts.adjustments
        postageRate = parts.postageRate
        let sum = try Order.subtotal(lines)
        guard sum == subtotal else {
            throw CommerceError(.malformed, "lines of \(sum.digits) with a subtotal of \(subtotal.digits)")
        }
        // What discounts take off the postage was compared with it on that day.
        bases = try Order.bases(lines, adjustments, (postageRate, Money.limit))
        guard (-Yen.limit...Yen.limit).contains(beforePostage),
            let taxIncluded = Yen(exactly: beforePostage - adjustments.units),
            bases == nil || taxIncluded == subtotal
        else {
            throw CommerceError(.malformed, "adjustments that do not fit the sums")
        }
        self.subtotal = subtotal
        self.taxIncluded = taxIncluded
        self.beforePostage = beforePostage
    }

    /// What is paid.
    ///
    /// - Returns: `nil` where discounts are more than everything, or the sum is above `Yen.limit`.
    package func total(with postage: Yen) -> Yen? {
        let (total, overflow) = beforePostage.addingReportingOverflow(postage.amount)
        return overflow ? nil : Yen(exactly: total)
    }

    /// What is paid at each rate, with the postage where it is known; `nil` where the prices exclude tax.
    ///
    /// - Returns: Sums that add up to what the buyer pays.
    package func bases(with postage: Yen?) -> TaxBases? {
        guard let postage else { return bases }
        return bases?.adding(postage, at: postageRate)
    }

    private static func subtotal(_ lines: [OrderLine]) throws(CommerceError) -> Yen {
        guard !lines.isEmpty else { throw CommerceError(.empty, "an order without lines") }
        guard !hasTwice(lines) else { throw CommerceError(.quantity, "an article twice") }
        var subtotal = Yen.zero
        for line in lines { subtotal = try subtotal.adding(line.sum) }
        return subtotal
    }

    private static func bases(
        _ lines: [OrderLine],
        _ adjustments: [Adjustment],
        _ postage: (rate: TaxRate, sum: Int64) = (.standard, 0)
    ) throws(CommerceError) -> TaxBases? {
        guard lines.contains(where: { $0.article.taxRate != nil }) else { return nil }
        guard lines.allSatisfy({ $0.article.taxRate != nil }) else {
            throw CommerceError(.mixed, "prices with tax and prices without")
        }
        let sums = lines.lazy.map { (rate: $0.article.taxRate ?? .standard, sum: $0.sum.amount) }
        guard let bases = TaxBases(of: sums, adjustments, sparing: postage) else {
            throw CommerceError(.overflow, "adjustments of \(adjustments.units) yen")
        }
        return bases
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
    ///
    /// Where the prices include tax, lines have `rate`, and so has an adjustment of one rate; one more object has the rate of the
    /// `postage` if it is not the standard one.
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
            Order.append(lines[index].article.taxRate, to: &writer)
            writer.append(literal: "}")
        }
        for adjustment in adjustments {
            writer.append(literal: adjustment.units < 0 ? ",{\"discount\":" : ",{\"fee\":")
            writer.append(adjustment.name)
            writer.append(literal: ",\"amount\":")
            writer.append(abs(adjustment.units))
            Order.append(adjustment.taxRate, to: &writer)
            writer.append(literal: "}")
        }
        if postageRate != .standard {
            writer.append(literal: ",{\"postage\":")
            writer.append(postageRate.percent)
            writer.append(literal: "}")
        }
        writer.append(literal: "]")
        return writer.bytes
    }

    private static func append(_ rate: TaxRate?, to writer: inout CanonicalJSONWriter) {
        guard let rate else { return }
        writer.append(literal: ",\"rate\":")
        writer.append(rate.percent)
    }

    private static func parts(from json: [UInt8]) throws(CommerceError) -> Parts {
        var reader = CanonicalJSONReader(json)
        var lines: [OrderLine] = []
        var adjustments: [Adjustment] = []
        var postageRate = TaxRate.standard
        try reader.expect("[")
        repeat {
            if reader.take("{\"discount\":") {
                adjustments.append(try adjustment(&reader, sign: -1))
            } else if reader.take("{\"fee\":") {
                adjustments.append(try adjustment(&reader, sign: 1))
            } else if reader.take("{\"postage\":") {
                postageRate = try rate(&reader)
                try reader.expect("}")
            } else {
                lines.append(try line(&reader))
            }
        } while reader.take(",")
        try reader.expect("]")
        try reader.end()
        return (lines, adjustments, postageRate)
    }

    private typealias Parts = (lines: [OrderLine], adjustments: [Adjustment], postageRate: TaxRate)

    private static func rate(_ reader: inout CanonicalJSONReader) throws(CommerceError) -> TaxRate {
        guard let rate = TaxRate(rawValue: Int(try reader.number())) else {
            throw CommerceError(.malformed, "a rate that is none of the tax")
        }
        return rate
    }

    /// The rate behind a line or an adjustment, if there is one.
    private static func ownRate(_ reader: inout CanonicalJSONReader) throws(CommerceError) -> TaxRate? {
        reader.take(",\"rate\":") ? try rate(&reader) : nil
    }

    private static func adjustment(_ reader: inout CanonicalJSONReader, sign: Int64) throws(CommerceError) -> Adjustment
    {
        let name = try reader.text()
        try reader.expect(",\"amount\":")
        // At most fifteen digits.
        let units = sign * (try reader.number())
        guard let adjustment = Adjustment(name: name, units: units, taxRate: try ownRate(&reader)) else {
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
        let rate = try ownRate(&reader)
        try reader.expect("}")
        return try OrderLine(article: Article(id: id, name: name, price: price, taxRate: rate), quantity: quantity)
    }
}
