/// The pages after a cancelled and after a declined checkout, of one language.
struct ClosingPages: Sendable {
    private enum PageSlot {
        case ticket
        case way
    }

    private let atProvider: Template<PageSlot>
    private let atProviderWithCancel: Template<PageSlot>
    private let ended: Template<PageSlot>
    private let declinedOpen: Template<PageSlot>
    private let declinedClosed: Template<PageSlot>
    private let ways: WayBack

    init(_ frame: Frame) {
        let cancelled = frame.texts.cancelled
        let declined = frame.texts.declined
        ways = WayBack(frame.texts.frame, app: cancelled.backToApp)
        atProvider = Self.template(
            frame,
            Notice(title: cancelled.title, heading: cancelled.heading, lead: cancelled.lead, retry: cancelled.retry)
        )
        atProviderWithCancel = Self.template(
            frame,
            Notice(
                title: cancelled.title,
                heading: cancelled.heading,
                lead: cancelled.lead,
                retry: cancelled.retry,
                cancel: cancelled.cancelForGood
            )
        )
        ended = Self.template(
            frame,
            Notice(title: cancelled.title, heading: cancelled.endedHeading, lead: cancelled.endedLead)
        )
        var notice = Notice(
            title: declined.title,
            heading: declined.heading,
            lead: declined.lead,
            retry: declined.retry
        )
        notice.code = .paymentDeclined
        declinedOpen = Self.template(frame, notice)
        notice.retry = nil
        declinedClosed = Self.template(frame, notice)
    }

    /// Writes the page after a cancelled checkout.
    func cancelled(_ view: CancelledView) -> [UInt8] {
        switch view.stage {
        case .atProvider(let ticket):
            render(ticket == nil ? atProvider : atProviderWithCancel, view.client, ticket: ticket)
        case .ended: render(ended, view.client, ticket: nil)
        }
    }

    /// Writes the page after a declined payment.
    func declined(_ view: DeclinedView) -> [UInt8] {
        render(view.canRetry ? declinedOpen : declinedClosed, view.client, ticket: nil)
    }

    private func render(_ template: Template<PageSlot>, _ client: PageClient, ticket: String?) -> [UInt8] {
        template.render(room: 512) { slot, writer in
            switch slot {
            case .ticket: writer.text(ticket ?? "")
            case .way: ways.write(client, to: &writer)
            }
        }
    }

    private struct Notice {
        let title: Wording
        let heading: Wording
        let lead: Wording
        var retry: Wording?
        var cancel: Wording?
        var code: PageErrorCode?
    }

    private static func template(_ frame: Frame, _ notice: Notice) -> Template<PageSlot> {
        var head = Head<PageSlot>(title: notice.title, step: .payment)
        if let code = notice.code { head.mark = .code(code) }
        return Template { page in
            page.document(frame, head) { page in
                page.html("<section class=\"card hero\">\n<h1>")
                page.text(notice.heading)
                page.html("</h1>\n<p>")
                page.text(notice.lead)
                page.html("</p>\n")
                if let retry = notice.retry {
                    page.html("<p class=\"actions\"><a id=\"retry\" class=\"button button-main button-wide\" href=\"")
                    page.constant.link(.button)
                    page.html("\">")
                    page.text(retry)
                    page.html("</a></p>\n")
                }
                page.slot(.way)
                if let cancel = notice.cancel { Self.cancelForm(&page, cancel) }
                page.html("</section>\n")
            }
        }
    }

    private static func cancelForm(_ page: inout TemplateBuilder<PageSlot>, _ text: Wording) {
        page.html("<form class=\"quiet-form\" method=\"post\" action=\"/checkout_cancel\">")
        page.html("<input type=\"hidden\" name=\"secureWebviewSessionId\" value=\"")
        page.slot(.ticket)
        page.html("\"><button type=\"submit\" id=\"cancel_button\" class=\"button button-quiet\">")
        page.text(text)
        page.html("</button></form>\n")
    }
}

/// The way back out of the tab: a link to the cart for a browser, an explanation for an app.
struct WayBack: Sendable {
    private let texts: FrameTexts
    private let app: Wording

    init(_ texts: FrameTexts, app: Wording) {
        self.texts = texts
        self.app = app
    }

    /// Writes the way back.
    func write(_ client: PageClient, to writer: inout HTMLWriter) {
        if client.isApp {
            writer.html("<p class=\"note\">")
            writer.text(app)
            writer.html("</p>\n")
        } else {
            writeCartLink(client, to: &writer)
        }
    }

    /// Writes the link to the client's cart.
    func writeCartLink(_ client: PageClient, to writer: inout HTMLWriter) {
        writer.html("<p class=\"actions\"><a id=\"back_to_cart\" class=\"button\" href=\"")
        writer.link(.cart(client))
        writer.html("\">")
        writer.text(texts.backToCart)
        writer.html("</a></p>\n")
    }
}
