import Commerce
import Pages
import Primitives
import SessionBroker

/// The receipt of one language.
///
/// Policy: `plain`.
struct ThanksPage: Sendable {
    private enum PageSlot {
        case orderNumber
        case date
        case payment
        case address
        case order
        case back
    }

    private let template: Template<PageSlot>
    private let table: OrderTable
    private let address: AddressSection
    private let wayBack: WayBack
    private let payment: PaymentLine
    private let language: Language
    private let hasHome: Bool

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts
        table = OrderTable(frame)
        payment = PaymentLine(texts.order)
        language = texts.language
        hasHome = frame.site.terms.home != nil
        address = AddressSection(texts.order)
        wayBack = WayBack(frame)
        template = frame.document(
            Head(title: "\(texts.thanks.title)", width: .wide, steps: texts.frame.steps(.done)),
            """
            <section class="card hero">
            <div class="seal" aria-hidden="true"></div>
            <h1>\(texts.thanks.heading)</h1>
            <p>\(texts.thanks.lead)</p>
            <p class="order-number"><span>\(texts.thanks.orderNumber)</span> \
            <strong id="order_number">\(.orderNumber)</strong></p>
            <dl class="facts" id="paid">
            <div><dt>\(texts.thanks.date)</dt><dd>\(.date)</dd></div>
            \(.payment)</dl>
            <p class="note">\(texts.thanks.keep)</p>
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
    /// - Parameters:
    ///   - view: With the address, while it is kept.
    ///   - hasDelivery: Whether something is sent to it.
    func render(_ view: WebviewSessionView, hasDelivery: Bool = true) -> [UInt8] {
        template.render(room: 3072) { slot, writer in
            switch slot {
            case .orderNumber: writer.text(view.orderNumber.description)
            case .date: writeDay(of: view, to: &writer)
            case .payment: if let text = view.details?.payment { payment.write(text, to: &writer) }
            case .address:
                guard hasDelivery, let place = view.details?.address else { return }
                address.write(place, to: &writer)
            case .order: table.write(view.order, view.sums, hasPostage: hasDelivery, to: &writer)
            case .back:
                if hasHome { wayBack.writeHome(to: &writer) } else { wayBack.writeCartLink(view.client, to: &writer) }
            }
        }
    }

    /// Writes the day on which the checkout began, in Japan: its id has the time.
    private func writeDay(of view: WebviewSessionView, to writer: inout HTMLWriter) {
        let japan = Duration.seconds(9 * 3_600)
        let day = CalendarDate(view.id.creationTime + japan)
        switch language {
        case .ja:
            writer.number(day.year)
            writer.text("年")
            writer.number(day.month)
            writer.text("月")
            writer.number(day.day)
            writer.text("日")
        case .en:
            writer.number(day.day)
            writer.text(" ")
            writer.text(Self.months[day.month - 1])
            writer.text(" ")
            writer.number(day.year)
        }
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// The line of the receipt that says how it was paid; left out once that is no longer kept.
private struct PaymentLine: Sendable {
    private enum LineSlot {
        case payment
    }

    private let line: Template<LineSlot>

    init(_ texts: OrderTexts) {
        line = Template(
            """
            <div><dt>\(texts.payment)</dt><dd id="payment">\(.payment)</dd></div>

            """
        )
    }

    /// Writes the line.
    func write(_ payment: String, to writer: inout HTMLWriter) {
        line.render(into: &writer) { _, writer in writer.text(payment) }
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
