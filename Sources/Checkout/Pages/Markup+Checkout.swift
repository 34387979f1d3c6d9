import Commerce
import Pages
import SessionBroker

extension HTMLWriter {
    private static let yen: HTML = "\u{FFE5}"

    /// Inserts an amount: full-width yen sign, thousands commas.
    mutating func yen(_ amount: Yen) {
        html(Self.yen)
        grouped(amount)
    }

    /// Inserts an amount without its sign, as it travels in forms: `27,996`.
    mutating func grouped(_ amount: Yen) {
        grouped(UInt64(amount.amount))
    }

    /// Inserts a token.
    mutating func token<Role>(_ token: WebviewSessionToken<Role>) {
        text(WebviewSessionToken<Role>.characterCount) { room in token.append(to: &room) }
    }
}

extension Markup.StringInterpolation {
    /// An amount.
    mutating func appendInterpolation(_ amount: Yen) {
        append { $0.yen(amount) }
    }
}

extension LinkTarget {
    /// The button page.
    static let button = LinkTarget(own: "/button")
    /// The confirm page.
    static let confirm = LinkTarget(own: "/confirm_order")
    private static let iosCart = LinkTarget(own: "/iosApp/cart")
    private static let androidCart = LinkTarget(own: "/androidApp/cart")
    private static let browserCart = LinkTarget(own: "/browser/cart")

    /// The cart page of a client.
    static func cart(_ client: ClientKind) -> LinkTarget {
        switch client {
        case .iosApp: iosCart
        case .androidApp: androidCart
        case .browser, .site, .mobileApp: browserCart
        }
    }
}
