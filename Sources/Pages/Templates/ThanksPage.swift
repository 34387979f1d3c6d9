/// The receipt of one language.
struct ThanksPage: Sendable {
    private enum PageSlot {
        case orderNumber
        case order
        case destination
        case back
    }

    private let template: Template<PageSlot>
    private let table: OrderTable
    private let destination: DestinationBlock
    private let wayBack: WayBack

    init(_ frame: Frame) {
        let texts = frame.texts
        table = OrderTable(texts.order)
        destination = DestinationBlock(texts.order)
        wayBack = WayBack(texts.frame, app: texts.cancelled.backToApp)
        template = Template { page in
            page.document(frame, Head<PageSlot>(title: texts.thanks.title, width: .wide, step: .done)) { page in
                page.html("<section class=\"card hero\">\n<div class=\"seal\" aria-hidden=\"true\"></div>\n<h1>")
                page.text(texts.thanks.heading)
                page.html("</h1>\n<p>")
                page.text(texts.thanks.lead)
                page.html("</p>\n<p class=\"order-number\"><span>")
                page.text(texts.thanks.orderNumber)
                page.html("</span> <strong id=\"order_number\">")
                page.slot(.orderNumber)
                page.html("</strong></p>\n</section>\n<div class=\"columns\">\n<section class=\"card\">\n<h2>")
                page.text(texts.order.destination)
                page.html("</h2>\n")
                page.slot(.destination)
                page.html("</section>\n<section class=\"card\">\n<h2>")
                page.text(texts.order.heading)
                page.html("</h2>\n")
                page.slot(.order)
                page.html("</section>\n</div>\n")
                page.slot(.back)
            }
        }
    }

    /// Writes the page.
    func render(_ view: ThanksView) -> [UInt8] {
        template.render(room: 3072) { slot, writer in
            switch slot {
            case .orderNumber: writer.text(view.orderNumber)
            case .order: table.write(view.order, to: &writer)
            case .destination: destination.write(view.destination, to: &writer)
            case .back: wayBack.writeCartLink(view.client, to: &writer)
            }
        }
    }
}
