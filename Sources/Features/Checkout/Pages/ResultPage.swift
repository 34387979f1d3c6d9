import Commerce
import Pages
import SessionBroker

/// The page after the provider's last page.
enum ResultView: Sendable {
    /// Client is an app: the link to tap, what the buyer agreed to, and whether the app completes the order already.
    case app(returnLink: LinkTarget, total: Yen, isBeingCompleted: Bool = false)
    /// Client `browser`: the page completes the purchase itself.
    case browser(BrowserPurchase)
    /// A merchant's site: the same.
    case site(returnLink: LinkTarget, total: Yen, isBeingCompleted: Bool = false)
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

    /// What a page with a link says.
    private struct Words {
        let heading: Wording
        let lead: Wording
        let link: Wording
        var note: Wording?
    }

    private let app: Template<PageSlot>
    private let browser: Template<PageSlot>
    private let site: Template<PageSlot>
    /// While the order is being completed: the link was followed already, and the money may be on its way.
    private let appCompleting: Template<PageSlot>
    private let siteCompleting: Template<PageSlot>
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
        func tap(_ heading: Wording, _ lead: Wording, _ link: Wording, _ note: Wording? = nil) -> Template<PageSlot> {
            Self.tap(frame, Words(heading: heading, lead: lead, link: link, note: note))
        }
        app = tap(texts.openHeading, texts.appLead, texts.returnLink, texts.appNote)
        site = tap(texts.openHeading, texts.siteLead, texts.siteLink, texts.siteNote)
        appCompleting = tap(texts.browserHeading, texts.completingNote, texts.returnLink)
        siteCompleting = tap(texts.browserHeading, texts.siteCompletingNote, texts.siteLink)
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: The link to tap, or what the page posts.
    func render(_ view: ResultView, nonce: Nonce) -> [UInt8] {
        switch view {
        case .app(let target, let total, let isBeingCompleted):
            render(isBeingCompleted ? appCompleting : app, target, total)
        case .site(let target, let total, let isBeingCompleted):
            render(isBeingCompleted ? siteCompleting : site, target, total)
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

    private static func tap(_ frame: CheckoutFrame, _ words: Words) -> Template<PageSlot> {
        let note: Markup<PageSlot> = words.note.map { "<p class=\"note\">\($0)</p>\n" } ?? .empty
        return frame.document(
            Head(title: "\(words.heading)", steps: frame.texts.frame.steps(.confirm, as: words.link)),
            """
            <section class="card hero">
            <div class="seal seal-next" aria-hidden="true"></div>
            <h1>\(words.heading)</h1>
            <p>\(words.lead)</p>
            <p class="bar-sum"><span>\(frame.texts.order.total)</span> <strong id="total">\(.total)</strong></p>
            <p class="actions"><a id="purchase_link" class="button button-main button-wide" href="\(.link)">\
            \(words.link)</a></p>
            \(note)</section>
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
