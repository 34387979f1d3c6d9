import Commerce
import Pages
import SessionBroker

/// The page after the provider's last page.
enum ResultView: Sendable {
    /// Client is an app: the link to tap, and what the buyer agreed to.
    case app(returnLink: LinkTarget, total: Yen)
    /// Client `browser`: the page completes the purchase itself.
    case browser(BrowserPurchase)
    /// A merchant's site: the link to tap, and what the buyer agreed to.
    case site(returnLink: LinkTarget, total: Yen)
}

/// What the result page posts to `/purchase`.
struct BrowserPurchase: Sendable {
    /// C.
    let returnTicket: ReturnTicket
    /// A, for the comparison; `nil` where the jar lost it.
    let launchTicket: LaunchTicket?
    /// The checkout session's id.
    let orderReferenceID: String
    /// What the buyer agreed to.
    let total: Yen
}

/// The page after the provider's last page, of one language.
///
/// Policy: `scripted`.
struct ResultPage: Sendable {
    private enum PageSlot {
        case nonce
        case link
        case returnTicket
        case launchTicket
        case reference
        case total
        case amount
        case number
    }

    private enum FieldSlot {
        case ticket
    }

    private let app: Template<PageSlot>
    private let browser: Template<PageSlot>
    private let site: Template<PageSlot>
    private let language: Language
    private let launchField = Template<FieldSlot>(
        """
        <input type="hidden" name="old_secureWebviewSessionId" value="\(.ticket)">

        """
    )

    init(_ frame: CheckoutFrame) {
        language = frame.texts.language
        browser = Self.browser(frame)
        let texts = frame.texts.result
        app = Self.tap(frame, texts.appLead, texts.returnLink, texts.appNote)
        site = Self.tap(frame, texts.siteLead, texts.siteLink, texts.siteNote)
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: The link to tap, or what the page posts.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func render(_ view: ResultView, nonce: Nonce) -> [UInt8] {
        switch view {
        case .app(let target, let total): render(app, target, total)
        case .site(let target, let total): render(site, target, total)
        case .browser(let purchase):
            browser.render(room: 1024) { slot, writer in
                switch slot {
                case .nonce: writer.nonce(nonce)
                case .returnTicket: writer.text(purchase.returnTicket.text)
                case .launchTicket: write(purchase.launchTicket, to: &writer)
                case .reference: writer.text(purchase.orderReferenceID)
                case .total: writer.grouped(purchase.total)
                case .amount: writer.yen(purchase.total, in: language)
                case .number: writer.text(OrderNumber(purchase.returnTicket.webviewSession).description)
                case .link: return
                }
            }
        }
    }

    private func render(_ template: Template<PageSlot>, _ target: LinkTarget, _ total: Yen) -> [UInt8] {
        template.render(room: 768) { slot, writer in
            if case .total = slot { writer.yen(total, in: language) } else { writer.link(target) }
        }
    }

    private func write(_ ticket: LaunchTicket?, to writer: inout HTMLWriter) {
        guard let ticket else { return }
        launchField.render(into: &writer) { _, writer in writer.text(ticket.text) }
    }

    private static func tap(
        _ frame: CheckoutFrame,
        _ lead: Wording,
        _ link: Wording,
        _ note: Wording
    ) -> Template<PageSlot> {
        let texts = frame.texts.result
        return frame.document(
            Head(title: "\(texts.openHeading)", steps: frame.texts.frame.steps(.confirm, as: link)),
            """
            <section class="card hero">
            <div class="seal seal-next" aria-hidden="true"></div>
            <h1>\(texts.openHeading)</h1>
            <p>\(lead)</p>
            <p class="bar-sum"><span>\(frame.texts.order.total)</span> <strong id="total">\(.total)</strong></p>
            <p class="actions"><a id="purchase_link" class="button button-main button-wide" href="\(.link)">\
            \(link)</a></p>
            <p class="note">\(note)</p>
            </section>
            """
        )
    }

    private static func browser(_ frame: CheckoutFrame) -> Template<PageSlot> {
        let texts = frame.texts.result
        let head = Head<PageSlot>(
            title: "\(texts.title)",
            steps: frame.texts.frame.steps(.confirm),
            scripts: [.file(.purchaseScript), .file(.resultScript)],
            nonce: "\(.nonce)"
        )
        return frame.document(
            head,
            """
            <section id="filter" class="card hero">
            <div id="filter_spinner" class="spinner" aria-hidden="true" hidden></div>
            <h1 id="filter_title" tabindex="-1">\(texts.browserHeading)</h1>
            <p id="filter_text" role="status">\(texts.browserLead)</p>
            <p class="bar-sum"><span>\(frame.texts.order.total)</span> <strong id="total">\(.amount)</strong></p>
            <p class="order-number"><span>\(frame.texts.thanks.orderNumber)</span> \
            <strong id="filter_number">\(.number)</strong></p>
            <form id="purchase_form" class="hop-form" method="post" action="/purchase">
            <input type="hidden" name="secureWebviewSessionId" value="\(.returnTicket)">
            \(.launchTicket)<input type="hidden" name="accessToken" value="sealed">
            <input type="hidden" name="orderReferenceId" value="\(.reference)">
            <input type="hidden" name="totalPrice" value="\(.total)">
            <button type="submit" id="filter_retry" class="button button-main button-wide">\(texts.complete)</button>
            </form>
            <p class="actions"><a id="filter_back" class="button" href="\(LinkTarget.cart(.browser))" hidden>\
            \(frame.texts.completion.back)</a></p>
            </section>
            <script type="application/json" id="page_data">\(data(frame.texts.completion))</script>
            """
        )
    }

    private static func data(_ texts: CompletionTexts) -> JSONBlock {
        JSONBlock { CompletionPanel.addTexts(texts, to: &$0) }
    }
}
