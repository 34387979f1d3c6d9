import Pages
import SessionBroker

/// The way back: a link to the cart for a browser; an explanation in the tab of an app or of a site, whose cart is elsewhere.
///
/// With the number to quote, the shop's own page and the receipt, where there are these.
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
    private let home: HTML
    private let receipt: HTML

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts
        home = HTML(WayBack.home(frame))
        receipt = HTML(WayBack.receipt(frame))
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

    /// Writes the way to the receipt, for a jar that holds its ticket.
    func write(receipt isHeld: Bool, to writer: inout HTMLWriter) {
        if isHeld { writer.html(receipt) }
    }

    /// Writes the way to the shop's own page; nothing where the settings name none.
    func writeHome(to writer: inout HTMLWriter) {
        writer.html(home)
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

    /// The way to the shop's own page; nothing where the settings name none.
    static func home<Slot>(_ frame: CheckoutFrame) -> Markup<Slot> {
        guard let target = frame.site.terms.home else { return .empty }
        return """
            <p class="actions"><a id="home" class="button" rel="noreferrer" href="\(target)">\(frame.texts.frame.backToShop)</a></p>

            """
    }

    /// The way to the receipt.
    static func receipt<Slot>(_ frame: CheckoutFrame) -> Markup<Slot> {
        """
        <p class="actions"><a id="receipt" class="button button-main" href="\(LinkTarget.thanks)">\(frame.texts.frame.toReceipt)</a></p>

        """
    }

    private static func note(_ text: Wording) -> HTML {
        HTML(
            """
            <p class="note">\(text)</p>

            """
        )
    }
}
