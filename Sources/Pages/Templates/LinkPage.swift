/// The link host's page of one language: complete in itself, so that nothing is fetched from an address with a ticket.
struct LinkPage: Sendable {
    private enum PageSlot {
        case nonce
    }

    private let template: Template<PageSlot>

    // First of all, before anything else is read, the query leaves the address bar and the history.
    init(_ frame: Frame) {
        let texts = frame.texts.link
        template = Template(
            """
            <!DOCTYPE html>
            <html lang="\(frame.texts.language.rawValue)">
            <head>
            <meta charset="utf-8">
            <script nonce="\(.nonce)">history.replaceState(null, "", location.pathname);</script>
            <title>\(texts.title) | \(frame.site.shopName)</title>
            \(frame.metadata())
            <link rel="icon" href="data:,">
            <style nonce="\(.nonce)">
            \(styles: frame.assets.content(.linkStyles))</style>
            </head>
            <body>
            <main>
            <h1>\(texts.heading)</h1>
            <p>\(texts.lead)</p>
            <p><a id="rescue" class="button" rel="noreferrer" href="\(frame.site.rescue)">\(texts.rescue)</a></p>
            <ul>\(Markup(each: texts.steps) { "<li>\($0)</li>" })</ul>
            <p class="note">\(texts.charge)</p>
            </main>
            </body>
            </html>

            """
        )
    }

    /// Writes the page.
    ///
    /// - Parameter nonce: The one in the policy.
    /// - Returns: The document.
    func render(nonce: Nonce) -> [UInt8] {
        template.render(room: 64) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            }
        }
    }
}
