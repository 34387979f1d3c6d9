import Commerce
import Pages
import SessionBroker

/// The receipt of one language.
///
/// Policy: `plain`.
struct ThanksPage: Sendable {
    private enum PageSlot {
        case orderNumber
        case address
        case order
        case back
    }

    private let template: Template<PageSlot>
    private let table: OrderTable
    private let address: AddressSection
    private let wayBack: WayBack

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts
        table = OrderTable(texts.order)
        address = AddressSection(texts.order)
        wayBack = WayBack(texts)
        template = frame.document(
            Head(title: "\(texts.thanks.title)", width: .wide, steps: texts.frame.steps(.done)),
            """
            <section class="card hero">
            <div class="seal" aria-hidden="true"></div>
            <h1>\(texts.thanks.heading)</h1>
            <p>\(texts.thanks.lead)</p>
            <p class="order-number"><span>\(texts.thanks.orderNumber)</span> \
            <strong id="order_number">\(.orderNumber)</strong></p>
            </section>
            <div class="columns">
            \(.address)<section class="card">
            <h2>\(texts.order.heading)</h2>
            \(.order)</section>
            </div>
            \(.back)
            """
        )
    }

    /// Writes the page.
    ///
    /// - Parameter view: With the address, while it is kept.
    /// - Returns: The document.
    func render(_ view: WebviewSessionView) -> [UInt8] {
        template.render(room: 3072) { slot, writer in
            switch slot {
            case .orderNumber: writer.text(view.orderNumber.description)
            case .address:
                guard let place = view.details?.address else { return }
                address.write(place, to: &writer)
            case .order: table.write(view.order, view.sums, to: &writer)
            case .back: wayBack.writeCartLink(view.client, to: &writer)
            }
        }
    }
}

/// The section of the receipt that says where the order goes; left out once the address is no longer kept.
private struct AddressSection: Sendable {
    private enum SectionSlot {
        case address
    }

    private let section: Template<SectionSlot>
    private let block: AddressBlock

    init(_ texts: OrderTexts) {
        block = AddressBlock(texts)
        section = Template(
            """
            <section class="card">
            <h2>\(texts.destination)</h2>
            \(.address)</section>

            """
        )
    }

    /// Writes the section.
    func write(_ address: Address, to writer: inout HTMLWriter) {
        section.render(into: &writer) { _, writer in block.write(address, to: &writer) }
    }
}
