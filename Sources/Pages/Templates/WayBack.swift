import SessionBroker

/// The way back: a link to the cart for a browser; an explanation in an app's tab, since only the app can close it.
struct WayBack: Sendable {
    private enum LinkSlot {
        case cart
    }

    private let cartLink: Template<LinkSlot>
    private let app: [UInt8]

    init(_ texts: Texts) {
        cartLink = Template(
            """
            <p class="actions"><a id="back_to_cart" class="button" href="\(.cart)">\(texts.frame.backToCart)</a></p>

            """
        )
        app =
            Template<Never>(
                """
                <p class="note">\(texts.frame.backToApp)</p>

                """
            ).bytes
    }

    /// Writes the way out of the tab.
    func writeFromTab(_ client: ClientKind, to writer: inout HTMLWriter) {
        if client.isApp {
            writer.fragment(app)
        } else {
            writeCartLink(client, to: &writer)
        }
    }

    /// Writes the link to the client's cart.
    func writeCartLink(_ client: ClientKind, to writer: inout HTMLWriter) {
        cartLink.render(into: &writer) { _, writer in writer.link(.cart(client)) }
    }
}
