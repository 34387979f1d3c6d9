/// The receipt of one language.
struct ThanksPage: Sendable {
    private enum PageSlot {
        case orderNumber
        case address
        case order
        case back
    }

    private let template: Template<PageSlot>
    private let table: OrderTable
    private let address: AddressBlock
    private let wayBack: WayBack

    init(_ frame: Frame) {
        let texts = frame.texts
        table = OrderTable(texts.order)
        address = AddressBlock(texts.order)
        wayBack = WayBack(texts)
        template = frame.document(
            Head(title: texts.thanks.title, width: .wide, step: .done),
            """
            <section class="card hero">
            <div class="seal" aria-hidden="true"></div>
            <h1>\(texts.thanks.heading)</h1>
            <p>\(texts.thanks.lead)</p>
            <p class="order-number"><span>\(texts.thanks.orderNumber)</span> \
            <strong id="order_number">\(.orderNumber)</strong></p>
            </section>
            <div class="columns">
            <section class="card">
            <h2>\(texts.order.destination)</h2>
            \(.address)</section>
            <section class="card">
            <h2>\(texts.order.heading)</h2>
            \(.order)</section>
            </div>
            \(.back)
            """
        )
    }

    /// Writes the page.
    ///
    /// - Parameter view: Number, order and address.
    /// - Returns: The document.
    func render(_ view: ThanksView) -> [UInt8] {
        template.render(room: 3072) { slot, writer in
            switch slot {
            case .orderNumber: writer.text(view.orderNumber)
            case .address: address.write(view.address, to: &writer)
            case .order: table.write(view.order, to: &writer)
            case .back: wayBack.writeCartLink(view.client, to: &writer)
            }
        }
    }
}
