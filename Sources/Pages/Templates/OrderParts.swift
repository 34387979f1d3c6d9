/// The table of an order, with its sums.
struct OrderTable: Sendable {
    private enum RowSlot {
        case name
        case unitPrice
        case quantity
        case total
    }

    private enum TableSlot {
        case rows
        case subtotal
        case taxIncluded
        case postage
        case total
    }

    private let table: Template<TableSlot>
    private let row: Template<RowSlot>
    private let undecided: Wording

    init(_ texts: OrderTexts) {
        undecided = texts.undecided
        row = Template { row in
            row.html("<tr><th scope=\"row\">")
            row.slot(.name)
            row.html("</th><td>")
            row.slot(.unitPrice)
            row.html("</td><td>")
            row.slot(.quantity)
            row.html("</td><td>")
            row.slot(.total)
            row.html("</td></tr>\n")
        }
        table = Template { table in
            table.html("<table class=\"order\">\n<thead><tr>")
            for name in [texts.item, texts.unitPrice, texts.quantity, texts.lineTotal] {
                table.html("<th scope=\"col\">")
                table.text(name)
                table.html("</th>")
            }
            table.html("</tr></thead>\n<tbody>\n")
            table.slot(.rows)
            table.html("</tbody>\n<tfoot>\n")
            Self.sum(&table, "<tr>", texts.subtotal, .subtotal)
            Self.sum(&table, "<tr>", texts.taxIncluded, .taxIncluded)
            Self.sum(&table, "<tr>", texts.postage, .postage)
            Self.sum(&table, "<tr class=\"order-total\">", texts.total, .total)
            table.html("</tfoot>\n</table>\n")
        }
    }

    /// Writes the table.
    ///
    /// - Parameters:
    ///   - order: What is bought.
    ///   - writer: Grows by the table.
    func write(_ order: OrderView, to writer: inout HTMLWriter) {
        table.render(into: &writer) { slot, writer in
            switch slot {
            case .rows:
                for line in order.lines { write(line, to: &writer) }
            case .subtotal: writer.yen(order.subtotal)
            case .taxIncluded: writer.yen(order.taxIncluded)
            case .postage: write(order.postage, to: &writer)
            case .total: write(order.total, to: &writer)
            }
        }
    }

    private func write(_ line: OrderView.Line, to writer: inout HTMLWriter) {
        row.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(line.name)
            case .unitPrice: writer.yen(line.unitPrice)
            case .quantity: writer.number(line.quantity)
            case .total: writer.yen(line.total)
            }
        }
    }

    private func write(_ amount: Yen?, to writer: inout HTMLWriter) {
        if let amount {
            writer.yen(amount)
        } else {
            writer.text(undecided)
        }
    }

    private static func sum(
        _ table: inout TemplateBuilder<TableSlot>,
        _ start: HTML,
        _ name: Wording,
        _ slot: TableSlot
    ) {
        table.html(start)
        table.html("<th scope=\"row\" colspan=\"3\">")
        table.text(name)
        table.html("</th><td>")
        table.slot(slot)
        table.html("</td></tr>\n")
    }
}

/// The block that says where an order goes.
struct DestinationBlock: Sendable {
    private enum BlockSlot {
        case name
        case postalCode
        case lines
        case phone
    }

    private let block: Template<BlockSlot>

    init(_ texts: OrderTexts) {
        block = Template { block in
            block.html("<dl class=\"facts\">\n")
            let rows: [(Wording, BlockSlot)] = [
                (texts.recipient, .name), (texts.postalCode, .postalCode), (texts.address, .lines),
                (texts.phone, .phone),
            ]
            for (name, slot) in rows {
                block.html("<div><dt>")
                block.text(name)
                block.html("</dt><dd>")
                block.slot(slot)
                block.html("</dd></div>\n")
            }
            block.html("</dl>\n")
        }
    }

    /// Writes the block.
    ///
    /// - Parameters:
    ///   - destination: Where the order goes.
    ///   - writer: Grows by the block.
    func write(_ destination: DestinationView, to writer: inout HTMLWriter) {
        block.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(destination.name)
            case .postalCode: Self.write(destination.postalCode, to: &writer)
            case .lines: Self.write(destination.lines, to: &writer)
            case .phone: Self.write(destination.phone, to: &writer)
            }
        }
    }

    private static func write(_ text: String, to writer: inout HTMLWriter) {
        writer.text(text.isEmpty ? "-" : text)
    }

    private static func write(_ lines: [String], to writer: inout HTMLWriter) {
        for (index, line) in lines.enumerated() {
            if index > 0 { writer.html(lineBreak) }
            writer.text(line)
        }
    }

    private static let lineBreak: HTML = "<br>"
}
