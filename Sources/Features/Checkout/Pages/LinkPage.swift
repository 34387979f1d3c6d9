import Pages
import Web

/// The link host's pages of one language: complete in themselves, so that nothing is fetched from an address with a ticket.
///
/// Policy: `linkFallback`.
struct LinkPage: Sendable {
    private enum PageSlot {
        case nonce
        case code
        case headline
        case detail
    }

    private let fallback: Template<PageSlot>
    private let error: Template<PageSlot>
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.link
        language = frame.texts.language
        fallback = Self.document(
            frame,
            title: "\(texts.title)",
            """
            <h1>\(texts.heading)</h1>
            <p>\(texts.lead)</p>
            <p><a id="rescue" class="button" rel="noreferrer" href="\(frame.site.rescue)">\(texts.rescue)</a></p>
            <ul>\(Markup(each: texts.steps) { "<li>\($0)</li>" })</ul>
            \(Self.stores(frame))<p class="note">\(texts.charge)</p>
            """
        )
        error = Self.document(
            frame,
            mark: #" data-error="\#(.code)""#,
            title: "\(.headline)",
            """
            <h1>\(.headline)</h1>
            <p id="detail">\(.detail)</p>
            <p><a id="rescue" class="button" rel="noreferrer" href="\(frame.site.rescue)">\(texts.rescue)</a></p>
            \(Self.stores(frame))
            """
        )
    }

    // First of all, before anything else is read, the query leaves the address bar and the history.
    private static func document(
        _ frame: CheckoutFrame,
        mark: Markup<PageSlot> = .empty,
        title: Markup<PageSlot>,
        _ content: Markup<PageSlot>
    ) -> Template<PageSlot> {
        Template(
            """
            <!DOCTYPE html>
            <html lang="\(frame.texts.language.rawValue)"\(mark)>
            <head>
            <meta charset="utf-8">
            <script nonce="\(.nonce)">history.replaceState(null, "", location.pathname);</script>
            <title>\(title) | \(frame.site.shopName)</title>
            \(frame.shell.metadata())
            \(banner(frame))<link rel="icon" href="data:,">
            <style nonce="\(.nonce)">
            \(frame.assets.inlineStyles)</style>
            </head>
            <body>
            <header><p class="brand">\(frame.site.shopName)</p></header>
            <main>
            \(content)
            </main>
            </body>
            </html>

            """
        )
    }

    /// Safari's own offer of the app; it names no address, so that no ticket gets into it.
    private static func banner(_ frame: CheckoutFrame) -> Markup<PageSlot> {
        guard let id = frame.site.stores.appleID else { return .empty }
        return """
            <meta name="apple-itunes-app" content="app-id=\(id)">

            """
    }

    /// Where to get the app, and the way to the shop's own page.
    private static func stores(_ frame: CheckoutFrame) -> Markup<PageSlot> {
        let texts = frame.texts
        let links = [
            ("app_store", frame.site.stores.apple, texts.link.appStore),
            ("google_play", frame.site.stores.google, texts.link.googlePlay),
            ("home", frame.site.terms.home, texts.frame.backToShop),
        ]
        .compactMap { id, target, text in target.map { (id: id, target: $0, text: text) } }
        guard !links.isEmpty else { return .empty }
        return """
            <p class="more">\(Markup(each: links) { #"<a id="\#($0.id)" rel="noreferrer" href="\#($0.target)">\#($0.text)</a> "# })</p>

            """
    }

    /// Writes the page where a link did not open the app.
    func render(nonce: Nonce) -> [UInt8] {
        fallback.render(room: 64) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .code, .headline, .detail: break
            }
        }
    }

    /// Writes the page of a refusal.
    func render(_ code: FailureCode, nonce: Nonce) -> [UInt8] {
        error.render(room: 256) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .code: writer.text(code.name)
            case .headline: writer.text(code.notice.headline.text(in: language))
            case .detail: writer.text(code.notice.detail.text(in: language))
            }
        }
    }
}
