import SessionBroker

/// The way back: a link to the cart for a browser; an explanation in the tab of an app or of a site, whose cart is elsewhere.
struct WayBack: Sendable {
    private enum LinkSlot {
        case cart
    }

    private let cartLink: Template<LinkSlot>
    private let app: [UInt8]
    private let site: [UInt8]

    init(_ texts: Texts) {
        cartLink = Template(
            """
            <p class="actions"><a id="back_to_cart" class="button" href="\(.cart)">\(texts.frame.backToCart)</a></p>

            """
        )
        app = WayBack.note(texts.frame.backToApp)
        site = WayBack.note(texts.frame.backToSite)
    }

    /// Writes the way out of the tab.
    func writeFromTab(_ client: ClientKind, to writer: inout HTMLWriter) {
        switch client {
        case .iosApp, .androidApp, .mobileApp: writer.fragment(app)
        case .site: writer.fragment(site)
        case .browser: writeCartLink(client, to: &writer)
        }
    }

    /// Writes the link to the client's cart.
    func writeCartLink(_ client: ClientKind, to writer: inout HTMLWriter) {
        cartLink.render(into: &writer) { _, writer in writer.link(.cart(client)) }
    }

    private static func note(_ text: Wording) -> [UInt8] {
        Template<Never>(
            """
            <p class="note">\(text)</p>

            """
        ).bytes
    }
}
