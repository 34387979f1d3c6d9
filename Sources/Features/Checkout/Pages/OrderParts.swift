import Commerce
import Pages

/// The table of an order, with its sums.
struct OrderTable: Sendable {
    private enum RowSlot {
        case name
        case mark
        case unitPrice
        case quantity
        case tax
        case sum
    }

    private enum SumSlot {
        case name
        case amount
    }

    private enum TaxSlot {
        case rates
    }

    private enum RateSlot {
        case name
        case taxable
        case tax
    }

    private enum PostageSlot {
        case mark
        case amount
    }

    private enum TableSlot {
        case rows
        case subtotal
        case tax
        case adjustments
        case postage
        case total
        case taxes
    }

    private let table: Template<TableSlot>
    private let row: Template<RowSlot>
    private let sum = Template<SumSlot>(
        """
        <tr><th scope="row">\(.name)</th><td>\(.amount)</td></tr>

        """
    )
    private let postage: Template<PostageSlot>
    private let taxes: Template<TaxSlot>
    private let rate: Template<RateSlot>
    private let contained: Template<SumSlot>
    private let legend: Template<TaxSlot>
    private let texts: OrderTexts
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.order
        self.texts = texts
        language = frame.texts.language
        row = Template(
            """
            <tr><th scope="row">\(.name)\(.mark) <small>\(.unitPrice) × \(.quantity) \(.tax)</small></th>\
            <td>\(.sum)</td></tr>

            """
        )
        rate = Template(
            """
            <div><dt>\(.name)</dt><dd>\(.taxable)\(.tax)</dd></div>

            """
        )
        contained = Template(" <small>\(texts.taxOpening)\(.amount)\(texts.taxClosing)</small>")
        legend = Template("<p class=\"note\">\(texts.reducedLegend)</p>\n")
        taxes = Template(
            """
            <dl class="facts" id="taxes">
            \(.rates)\(Self.registration(frame))</dl>

            """
        )
        postage = Template(
            """
            <tr><th scope="row">\(texts.postage)\(.mark)</th><td id="postage">\(.amount)</td></tr>

            """
        )
        table = Template(
            """
            <table class="order">
            <thead><tr><th scope="col">\(texts.item)</th>\
            <th scope="col">\(texts.lineTotal)</th></tr></thead>
            <tbody>
            \(.rows)</tbody>
            <tfoot>
            <tr><th scope="row">\(texts.subtotal)</th><td>\(.subtotal)</td></tr>
            \(.tax)\(.adjustments)\(.postage)<tr class="order-total"><th scope="row">\(texts.total)</th><td id="total">\(.total)</td></tr>
            </tfoot>
            </table>
            \(.taxes)
            """
        )
    }

    private static func registration(_ frame: CheckoutFrame) -> Markup<TaxSlot> {
        guard let number = frame.site.terms.registration else { return .empty }
        return """
            <div><dt>\(frame.texts.order.registration)</dt><dd>\(number)</dd></div>

            """
    }

    /// Writes the table of an order.
    ///
    /// - Parameters:
    ///   - sums: What it comes to, tax and postage included; shown as `-` until the address is known.
    ///   - hasPostage: Whether something is sent; else there is no line for what that costs.
    func write(
        _ order: Order,
        _ sums: (postage: Yen, total: Yen)?,
        hasPostage: Bool = true,
        to writer: inout HTMLWriter
    ) {
        table.render(into: &writer) { slot, writer in
            switch slot {
            case .rows:
                for line in order.lines { write(line, to: &writer) }
            case .subtotal: writer.yen(order.subtotal, in: language)
            case .tax: if order.bases == nil { writeTax(of: order, to: &writer) }
            case .adjustments:
                for adjustment in order.adjustments { write(adjustment, to: &writer) }
            case .postage: if hasPostage { writePostage(sums?.postage, of: order, to: &writer) }
            case .total: write(sums?.total, to: &writer)
            case .taxes:
                guard let bases = order.bases(with: sums?.postage) else { return }
                write(bases, to: &writer)
                if order.hasReducedRate { legend.render(into: &writer) { _, _ in } }
            }
        }
    }

    /// Writes the line of what sending costs.
    private func writePostage(_ sum: Yen?, of order: Order, to writer: inout HTMLWriter) {
        postage.render(into: &writer) { slot, writer in
            switch slot {
            case .mark: if order.hasReducedPostage { writer.text(texts.reducedMark) }
            case .amount: write(sum, to: &writer)
            }
        }
    }

    /// Writes the line of a tax that comes on top.
    private func writeTax(of order: Order, to writer: inout HTMLWriter) {
        sum.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(texts.tax)
            case .amount: writer.yen(order.tax, in: language)
            }
        }
    }

    /// Writes what is paid at each rate, and the tax in it.
    private func write(_ bases: TaxBases, to writer: inout HTMLWriter) {
        taxes.render(into: &writer) { _, writer in
            for taxRate in TaxRate.allCases where bases[taxRate] > 0 {
                rate.render(into: &writer) { slot, writer in
                    switch slot {
                    case .name: writer.text(texts.rate(taxRate))
                    case .taxable: writer.yen(Yen(exactly: bases[taxRate]) ?? .zero, in: language)
                    case .tax: if taxRate != .untaxed { write(bases.tax(at: taxRate), to: &writer) }
                    }
                }
            }
        }
    }

    /// Writes the tax that a sum contains.
    private func write(_ tax: Int64, to writer: inout HTMLWriter) {
        contained.render(into: &writer) { _, writer in writer.yen(Yen(exactly: tax) ?? .zero, in: language) }
    }

    private func write(_ line: OrderLine, to writer: inout HTMLWriter) {
        row.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(line.article.name)
            case .mark: if line.article.taxRate == .reduced { writer.text(texts.reducedMark) }
            case .tax: writer.text(line.article.taxRate == nil ? texts.withoutTax : texts.withTax)
            case .unitPrice: writer.yen(line.article.price, in: language)
            case .quantity: writer.number(line.quantity)
            case .sum: writer.yen(line.sum, in: language)
            }
        }
    }

    private func write(_ adjustment: Adjustment, to writer: inout HTMLWriter) {
        sum.render(into: &writer) { slot, writer in
            switch slot {
            case .name:
                writer.text(adjustment.name)
                if adjustment.taxRate == .reduced { writer.text(texts.reducedMark) }
            case .amount:
                if adjustment.units < 0 { writer.text("−") }
                writer.yen(Yen(exactly: abs(adjustment.units)) ?? .zero, in: language)
            }
        }
    }

    private func write(_ amount: Yen?, to writer: inout HTMLWriter) {
        if let amount {
            writer.yen(amount, in: language)
        } else {
            writer.text(texts.undecided)
        }
    }
}

extension Order {
    /// Whether something on it has the mark of the reduced rate.
    fileprivate var hasReducedRate: Bool {
        hasReducedPostage || lines.contains { $0.article.taxRate == .reduced }
            || adjustments.contains { $0.taxRate == .reduced }
    }

    fileprivate var hasReducedPostage: Bool { bases != nil && postageRate == .reduced }
}

/// The block that says where an order goes.
struct AddressBlock: Sendable {
    private enum BlockSlot {
        case name
        case postalCode
        case lines
        case phone
    }

    private let block: Template<BlockSlot>

    init(_ texts: OrderTexts) {
        block = Template(
            """
            <dl class="facts">
            <div><dt>\(texts.recipient)</dt><dd>\(.name)</dd></div>
            <div><dt>\(texts.postalCode)</dt><dd>\(.postalCode)</dd></div>
            <div><dt>\(texts.address)</dt><dd>\(.lines)</dd></div>
            <div><dt>\(texts.phone)</dt><dd>\(.phone)</dd></div>
            </dl>

            """
        )
    }

    /// Writes the block.
    func write(_ address: Address, to writer: inout HTMLWriter) {
        block.render(into: &writer) { slot, writer in
            switch slot {
            case .name: Self.write(.name, of: address, to: &writer)
            case .postalCode: Self.write(.postalCode, of: address, to: &writer)
            case .lines: Self.writeLines(address, to: &writer)
            case .phone: Self.write(.phoneNumber, of: address, to: &writer)
            }
        }
    }

    private static func write(_ part: Address.Part, of address: Address, to writer: inout HTMLWriter) {
        if address.withBytes(of: part, { writer.text($0) }) == nil { writer.text("-") }
    }

    private static func writeLines(_ address: Address, to writer: inout HTMLWriter) {
        var isFirst = true
        for part in parts(address) {
            _ = address.withBytes(of: part) { line in
                if !isFirst { writer.html(lineBreak) }
                isFirst = false
                writer.text(line)
            }
        }
    }

    /// In Japan an address runs from the largest part to the smallest, elsewhere the other way.
    private static func parts(_ address: Address) -> [Address.Part] {
        let isAbroad = address.withBytes(of: .countryCode) { country in
            country.count != 2 || country[0] != UInt8(ascii: "J") || country[1] != UInt8(ascii: "P")
        }
        return isAbroad == true ? smallestFirst : largestFirst
    }

    private static let largestFirst: [Address.Part] = [
        .stateOrRegion, .city, .county, .district, .addressLine1, .addressLine2, .addressLine3,
    ]
    private static let smallestFirst: [Address.Part] = [
        .addressLine1, .addressLine2, .addressLine3, .district, .city, .county, .stateOrRegion, .countryCode,
    ]
    private static let lineBreak: HTML = "<br>"
}
