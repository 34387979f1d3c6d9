import CheckoutCodes
import Commerce
import Pages
import SessionBroker
import Web

/// The cart page of one client and one language: constant but for the nonce.
///
/// Policy: `scripted`.
struct CartPage: Sendable {
    private enum PageSlot {
        case nonce
    }

    private let template: Template<PageSlot>

    init(_ frame: CheckoutFrame, client: ClientKind) {
        let texts = frame.texts.cart
        let head = Head<PageSlot>(
            title: "\(texts.title)",
            width: .wide,
            steps: frame.texts.frame.steps(.cart),
            scripts: [.file(.purchaseScript), .file(.cartScript)],
            nonce: "\(.nonce)"
        )
        template = frame.document(
            head,
            """
            <h1>\(texts.heading)</h1>
            <p class="lead">\(texts.lead)</p>
            <noscript><p class="notice">\(frame.texts.frame.scriptNeeded)</p></noscript>
            <form id="cart_form" class="columns" novalidate>
            <ul class="articles">
            \(Markup(each: frame.site.catalogue.entries) { Self.row(frame, $0) })</ul>
            \(Self.summary(frame))
            </form>
            \(CompletionPanel.cover(frame.texts, back: .cart(client)))
            <script type="application/json" id="page_data">\(Self.data(frame, client))</script>
            """
        )
    }

    /// Writes the page.
    func render(nonce: Nonce) -> [UInt8] {
        template.render(room: 128) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            }
        }
    }

    private static func row(_ frame: CheckoutFrame, _ entry: Catalogue.Entry) -> Markup<PageSlot> {
        let texts = frame.texts
        let name = entry.article.name
        return """
            <li class="card article">
            <div class="article-picture">\(picture(frame, entry.article))</div>
            <div class="article-text"><h2>\(name)\(mark(entry.article, texts.order))</h2>\
            <p class="price">\(entry.article.price, in: texts.language) <small>\(texts.order.withTax)</small></p></div>
            <div class="article-count"><label for="\(entry.field)">\(texts.order.quantity)</label><div class="stepper">\
            <button type="button" data-step="-1" disabled aria-label="\(name)\(texts.cart.less)">−</button>\
            <input type="text" inputmode="numeric" maxlength="2" autocomplete="off" required value="1" \
            id="\(entry.field)" name="\(entry.field)" data-price="\(entry.article.price.digits)" \
            aria-describedby="error">\
            <button type="button" data-step="1" disabled aria-label="\(name)\(texts.cart.more)">+</button></div></div>
            </li>

            """
    }

    private static func mark(_ article: Article, _ texts: OrderTexts) -> Markup<PageSlot> {
        article.taxRate == .reduced ? "\(texts.reducedMark)" : .empty
    }

    private static func legend(_ frame: CheckoutFrame) -> Markup<PageSlot> {
        guard frame.site.catalogue.entries.contains(where: { $0.article.taxRate == .reduced }) else { return .empty }
        return "<p class=\"note\">\(frame.texts.order.reducedLegend)</p>\n"
    }

    private static func picture(_ frame: CheckoutFrame, _ article: Article) -> Markup<PageSlot> {
        guard let picture = StaticAsset.picture(of: article) else { return .empty }
        return #"<img src="\#(frame.assets[picture])" alt="" width="240" height="180">"#
    }

    private static func summary(_ frame: CheckoutFrame) -> Markup<PageSlot> {
        let texts = frame.texts.cart
        return """
            <div class="card summary">
            <p class="summary-sum"><span>\(texts.subtotal) <small>\(texts.subtotalNote)</small></span>\
            <strong id="subtotal" aria-live="polite">\(oneOfEach(frame.site.catalogue), in: frame.texts.language)</strong></p>
            <p id="error" class="problem" role="alert"></p>
            <button type="submit" id="amzn_button" class="button button-gold button-wide" disabled>\(texts.buy)</button>
            <p id="status" class="note" role="status"></p>
            <p class="note">\(texts.assurance)</p>
            \(legend(frame))</div>
            """
    }

    /// What the quantities come to before the buyer changes them.
    private static func oneOfEach(_ catalogue: Catalogue) -> Yen {
        let sum = catalogue.entries.reduce(0) { $0 + $1.article.price.amount }
        return Yen(exactly: sum) ?? .zero
    }

    private static func data(_ frame: CheckoutFrame, _ client: ClientKind) -> JSONBlock {
        JSONBlock { data in
            data.add("client", client.rawValue)
            data.add("verifier", frame.site.usesVerifier)
            data.add("texts") { texts in
                let cart = frame.texts.cart
                texts.add("notANumber", cart.notANumber)
                texts.add("nothingChosen", cart.nothingChosen)
                texts.add("tooMany", cart.tooMany)
                texts.add("opening", cart.opening)
                texts.add("stillOpening", cart.stillOpening)
                texts.add("failed", cart.failed)
                texts.add("unavailable", FailureCode.unavailable.notice.detail.text(in: frame.texts.language))
                texts.add("limited", cart.limited)
                texts.add("bridgeMissing", cart.bridgeMissing)
            }
            CompletionPanel.addTexts(frame.texts.completion, to: &data)
        }
    }
}
