import Commerce
import Pages

/// The table of an order, with its sums.
struct OrderTable: Sendable {
    private enum RowSlot {
        case name
        case unitPrice
        case quantity
        case sum
    }

    private enum AdjustmentSlot {
        case name
        case amount
    }

    private enum TableSlot {
        case rows
        case subtotal
        case tax
        case adjustments
        case postage
        case total
    }

    private let table: Template<TableSlot>
    private let row: Template<RowSlot>
    private let adjustment = Template<AdjustmentSlot>(
        """
        <tr><th scope="row">\(.name)</th><td>\(.amount)</td></tr>

        """
    )
    private let undecided: Wording
    private let language: Language

    init(_ every: Texts) {
        let texts = every.order
        language = every.language
        undecided = texts.undecided
        row = Template(
            """
            <tr><th scope="row">\(.name) <small>\(.unitPrice) × \(.quantity) \(texts.withoutTax)</small></th>\
            <td>\(.sum)</td></tr>

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
            <tr><th scope="row">\(texts.tax)</th><td>\(.tax)</td></tr>
            \(.adjustments)<tr><th scope="row">\(texts.postage)</th><td id="postage">\(.postage)</td></tr>
            <tr class="order-total"><th scope="row">\(texts.total)</th><td id="total">\(.total)</td></tr>
            </tfoot>
            </table>

            """
        )
    }

    /// Writes the table of an order.
    ///
    /// - Parameters:
    ///   - order: What is bought.
    ///   - sums: What it comes to, tax and postage included; shown as `-` until the address is known.
    ///   - writer: Grows by the table.
    func write(_ order: Order, _ sums: (postage: Yen, total: Yen)?, to writer: inout HTMLWriter) {
        table.render(into: &writer) { slot, writer in
            switch slot {
            case .rows:
                for line in order.lines { write(line, to: &writer) }
            case .subtotal: writer.yen(order.subtotal, in: language)
            case .tax: writer.yen(order.tax, in: language)
            case .adjustments:
                for adjustment in order.adjustments { write(adjustment, to: &writer) }
            case .postage: write(sums?.postage, to: &writer)
            case .total: write(sums?.total, to: &writer)
            }
        }
    }

    private func write(_ line: OrderLine, to writer: inout HTMLWriter) {
        row.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(line.article.name)
            case .unitPrice: writer.yen(line.article.price, in: language)
            case .quantity: writer.number(line.quantity)
            case .sum: writer.yen(line.sum, in: language)
            }
        }
    }

    private func write(_ adjustment: Adjustment, to writer: inout HTMLWriter) {
        self.adjustment.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(adjustment.name)
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
            writer.text(undecided)
        }
    }
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
    ///
    /// - Parameters:
    ///   - address: Where the order goes.
    ///   - writer: Grows by the block.
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
