import Pages
import SessionBroker

/// The page after a cancelled checkout, of one language.
///
/// Policy: `form`.
struct CanceledPage: Sendable {
    /// What is left of the webview session.
    enum Stage: Sendable {
        /// The provider's page was left; nothing is changed, the checkout can be started again.
        ///
        /// A return ticket lets the page offer to cancel for good.
        case atProvider(returnTicket: ReturnTicket?)
        /// The webview session was cancelled by the buyer and is over.
        case ended
    }

    private enum PageSlot {
        case kept
        case way
        case ticket
        case reference
    }

    private let left: Template<PageSlot>
    private let leftAfterReview: Template<PageSlot>
    private let ended: Template<PageSlot>
    private let wayBack: WayBack
    private let cartKept: Wording

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.canceled
        wayBack = WayBack(frame)
        cartKept = texts.cartKept
        left = Self.template(frame, Self.left(texts))
        leftAfterReview = Self.template(frame, "\(Self.left(texts))\(Self.cancelForm(texts))")
        ended = Self.template(
            frame,
            """
            <h1>\(texts.endedHeading)</h1>
            <p>\(texts.endedLead)</p>
            \(.way)\(WayBack.home(frame))
            """
        )
    }

    /// Writes the page.
    func render(_ view: WebviewSessionView, _ stage: Stage) -> [UInt8] {
        switch stage {
        case .ended: render(ended, view, ticket: nil)
        case .atProvider(nil): render(left, view, ticket: nil)
        case .atProvider(let ticket?): render(leftAfterReview, view, ticket: ticket)
        }
    }

    private func render(_ template: Template<PageSlot>, _ view: WebviewSessionView, ticket: ReturnTicket?) -> [UInt8] {
        template.render(room: 512) { slot, writer in
            switch slot {
            // Of a merchant's cart nothing is known here.
            case .kept: if view.client != .site, view.client != .mobileApp { writer.text(cartKept) }
            case .way: wayBack.writeFromTab(view.client, to: &writer)
            case .reference: wayBack.write(reference: view.orderNumber.description, to: &writer)
            case .ticket: writer.text(ticket?.text ?? "")
            }
        }
    }

    private static func template(_ frame: CheckoutFrame, _ content: Markup<PageSlot>) -> Template<PageSlot> {
        frame.document(
            Head(title: "\(frame.texts.canceled.title)", steps: frame.texts.frame.steps(.payment)),
            """
            <section class="card hero">
            \(content)\(.reference)</section>
            """
        )
    }

    private static func left(_ texts: CanceledTexts) -> Markup<PageSlot> {
        """
        <h1>\(texts.heading)</h1>
        <p>\(texts.lead) \(.kept)</p>
        <p class="actions"><a id="retry" class="button button-main button-wide" href="\(LinkTarget.button)">\
        \(texts.retry)</a></p>
        \(.way)
        """
    }

    private static func cancelForm(_ texts: CanceledTexts) -> Markup<PageSlot> {
        """
        <form class="quiet-form" method="post" action="/checkout_cancel">\
        <input type="hidden" name="secureWebviewSessionId" value="\(.ticket)">\
        <button type="submit" id="cancel_button" class="button button-quiet">\(texts.cancelForGood)</button></form>

        """
    }
}
