import CheckoutCodes
import Pages
import SessionBroker
import Web

/// The page after a declined payment.
struct DeclinedView: Sendable {
    /// Who bought.
    let client: ClientKind
    /// Whether the tab may start another checkout.
    let canRetry: Bool
    /// The number for inquiries.
    let reference: OrderNumber
}

/// The page after a declined payment, of one language.
///
/// Policy: `plain`.
struct DeclinedPage: Sendable {
    private enum PageSlot {
        case way
        case reference
    }

    private let open: Template<PageSlot>
    private let closed: Template<PageSlot>
    private let wayBack: WayBack

    init(_ frame: CheckoutFrame) {
        wayBack = WayBack(frame.texts)
        open = Self.template(
            frame,
            retry: """
                <p class="actions"><a id="retry" class="button button-main button-wide" href="\(LinkTarget.button)">\
                \(frame.texts.declined.retry)</a></p>

                """
        )
        closed = Self.template(frame, retry: .empty)
    }

    /// Writes the page.
    ///
    /// - Parameter view: The way on.
    /// - Returns: The document.
    func render(_ view: DeclinedView) -> [UInt8] {
        let template = view.canRetry ? open : closed
        return template.render(room: 384) { slot, writer in
            switch slot {
            case .way: wayBack.writeFromTab(view.client, to: &writer)
            case .reference: wayBack.write(reference: view.reference.description, to: &writer)
            }
        }
    }

    private static func template(_ frame: CheckoutFrame, retry: Markup<PageSlot>) -> Template<PageSlot> {
        let texts = frame.texts.declined
        let code = FailureCode.paymentDeclined.name
        return frame.document(
            Head(title: "\(texts.title)", steps: frame.texts.frame.steps(.payment), error: "\(code)"),
            """
            <section class="card hero">
            <h1>\(texts.heading)</h1>
            <p>\(texts.lead)</p>
            \(retry)\(.way)\(.reference)</section>
            """
        )
    }
}
