import Commerce
import Pages

/// The button page: the tab's first page, which leads to the provider.
struct ButtonView: Sendable {
    /// Its order is shown without sums: the address is chosen at the provider, also where one was before.
    let webviewSession: WebviewSessionView
    /// What the provider's button needs.
    let start: CheckoutStart
    /// Where a plain form starts the checkout without script; only where the checkout host offers it.
    let fallbackAction: LinkTarget?
}

/// The signed configuration of the provider's button.
struct CheckoutStart: Sendable {
    /// `A` and 13 or 14 characters.
    let merchantID: String
    /// With its environment prefix, unless `isSandbox` is given.
    let publicKeyID: String
    /// Whether it is the sandbox; only for key ids without a prefix, else `nil`.
    let isSandbox: Bool?
    /// Whether something is sent to an address, which the provider asks for then.
    let hasDelivery: Bool
    /// The very octets that were signed.
    let payload: String
    /// Base64 of the signature.
    let signature: String
    /// The label that was signed with, such as `AMZN-PAY-RSASSA-PSS-V2`.
    let algorithm: String

    /// The provider's name for what is started.
    var productType: String { hasDelivery ? "PayAndShip" : "PayOnly" }
}

/// The button page of one language.
///
/// Policy: `ProviderPolicy`.
struct ButtonPage: Sendable {
    private enum PageSlot {
        case nonce
        case order
        case postageNote
        case way
        case noteState
        case form
        case data
    }

    private let template: Template<PageSlot>
    private let form: StartForm
    private let postageNote: Template<PageSlot>
    private let table: OrderTable
    private let wayBack: WayBack
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts
        language = texts.language
        table = OrderTable(frame)
        form = StartForm(texts.button)
        postageNote = Template("<p class=\"note\">\(texts.button.postageNote)</p>\n")
        wayBack = WayBack(frame)
        let head = Head<PageSlot>(
            title: "\(texts.button.title)",
            steps: texts.frame.steps(.payment),
            scripts: [.foreign(frame.site.checkoutScript), .file(.buttonScript)],
            nonce: "\(.nonce)"
        )
        template = frame.document(
            head,
            """
            \(Self.hop(texts.button))
            <section class="card">
            <h2>\(texts.order.heading)</h2>
            \(.order)\(.postageNote)</section>
            <script type="application/json" id="page_data">\(.data)</script>
            """
        )
    }

    /// Writes the page.
    func render(_ view: ButtonView, nonce: Nonce) -> [UInt8] {
        template.render(room: 4096) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .order: write(view.webviewSession.order, hasDelivery: view.start.hasDelivery, to: &writer)
            case .postageNote: if view.start.hasDelivery { postageNote.render(into: &writer) { _, _ in } }
            case .way: wayBack.writeFromTab(view.webviewSession.client, to: &writer)
            case .noteState:
                if view.fallbackAction == nil { writer.html(Self.hidden) }
            case .form:
                if let action = view.fallbackAction {
                    form.write(view.start, action: action, language: language, to: &writer)
                }
            case .data: writer.json(data(view.start))
            }
        }
    }

    /// Writes the table; nothing comes on top of an order that is not sent, so its total is known.
    private func write(_ order: Order, hasDelivery: Bool, to writer: inout HTMLWriter) {
        let total = hasDelivery ? nil : order.total(with: .zero)
        table.write(order, total.map { (.zero, $0) }, hasPostage: hasDelivery, to: &writer)
    }

    private static let hidden: HTML = " hidden"

    /// Without script nothing changes by itself, so spinner and status wait for the script.
    ///
    /// The note is there from the start where the form below it is, else once the script has drawn the provider's button.
    private static func hop(_ texts: ButtonTexts) -> Markup<PageSlot> {
        """
        <section class="card hero">
        <div id="spinner" class="spinner" aria-hidden="true" hidden></div>
        <h1>\(texts.heading)</h1>
        <p id="status" role="status" hidden>\(texts.lead)</p>
        <noscript><p class="notice">\(texts.withoutScript)</p>
        <p class="actions"><a class="button" href="\(LinkTarget.button)">\(texts.reload)</a></p></noscript>
        <div id="slow" role="alert" hidden>
        <p class="notice">\(texts.slow)</p>
        <p class="actions"><a id="reload" class="button" href="\(LinkTarget.button)">\(texts.reload)</a></p>
        \(.way)</div>
        <p id="manual_note" class="note"\(.noteState)>\(texts.manualNote)</p>
        <div id="AmazonPayButton" class="provider-button"></div>
        \(.form)</section>
        """
    }

    private func data(_ start: CheckoutStart) -> JSONBlock {
        JSONBlock { data in
            data.add("config") { config in
                config.add("merchantId", start.merchantID)
                config.add("publicKeyId", start.publicKeyID)
                if let isSandbox = start.isSandbox { config.add("sandbox", isSandbox) }
                config.add("ledgerCurrency", "JPY")
                config.add("checkoutLanguage", language.checkoutLanguage)
                config.add("productType", start.productType)
                config.add("placement", "Cart")
                config.add("buttonColor", "Gold")
                config.add("createCheckoutSessionConfig") { session in
                    session.add("payloadJSON", start.payload)
                    session.add("signature", start.signature)
                    session.add("algorithm", start.algorithm)
                }
            }
        }
    }
}
