import Pages
import SessionBroker

/// The way back: a link to the cart for a browser; an explanation in the tab of an app or of a site, whose cart is elsewhere.
///
/// With the number to quote, where there is one.
struct WayBack: Sendable {
    private enum LinkSlot {
        case cart
    }

    private enum ReferenceSlot {
        case number
    }

    private let cartLink: Template<LinkSlot>
    private let app: HTML
    private let site: HTML
    private let somewhere: HTML
    private let reference: Template<ReferenceSlot>

    init(_ texts: Texts) {
        cartLink = Template(
            """
            <p class="actions"><a id="back_to_cart" class="button" href="\(.cart)">\(texts.frame.backToCart)</a></p>

            """
        )
        app = WayBack.note(texts.frame.backToApp)
        site = WayBack.note(texts.frame.backToSite)
        somewhere = WayBack.note(texts.frame.backSomewhere)
        reference = Template(
            """
            <p class="note">\(texts.frame.reference) <code id="reference">\(.number)</code></p>

            """
        )
    }

    /// Writes the number to quote; nothing where there is none.
    func write(reference number: String?, to writer: inout HTMLWriter) {
        guard let number else { return }
        reference.render(into: &writer) { _, writer in writer.text(number) }
    }

    /// Writes the way out of the tab.
    ///
    /// An unknown client gets no link: the cart may be in another shop.
    func writeFromTab(_ client: ClientKind?, to writer: inout HTMLWriter) {
        switch client {
        case .iosApp, .androidApp, .mobileApp: writer.html(app)
        case .site: writer.html(site)
        case .browser: writeCartLink(.browser, to: &writer)
        case nil: writer.html(somewhere)
        }
    }

    /// Writes the link to the client's cart.
    func writeCartLink(_ client: ClientKind, to writer: inout HTMLWriter) {
        cartLink.render(into: &writer) { _, writer in writer.link(.cart(client)) }
    }

    private static func note(_ text: Wording) -> HTML {
        HTML(
            """
            <p class="note">\(text)</p>

            """
        )
    }
}
