import CheckoutCodes
import Pages
import SessionBroker
import Web

/// The page after a declined payment, of one language.
///
/// Policy: `plain`.
struct DeclinedPage: Sendable {
    private enum PageSlot {
        case way
        case reference
    }

    private let template: Template<PageSlot>
    private let wayBack: WayBack

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.declined
        wayBack = WayBack(frame)
        let code = FailureCode.paymentDeclined.name
        template = frame.document(
            Head(title: "\(texts.title)", steps: frame.texts.frame.steps(.payment), error: "\(code)"),
            """
            <section class="card hero">
            <h1>\(texts.heading)</h1>
            <p>\(texts.lead)</p>
            <p class="actions"><a id="retry" class="button button-main button-wide" href="\(LinkTarget.button)">\
            \(texts.retry)</a></p>
            \(.way)\(.reference)</section>
            """
        )
    }

    /// Writes the page.
    func render(_ view: WebviewSessionView) -> [UInt8] {
        template.render(room: 384) { slot, writer in
            switch slot {
            case .way: wayBack.writeFromTab(view.client, to: &writer)
            case .reference: wayBack.write(reference: view.orderNumber.description, to: &writer)
            }
        }
    }
}
