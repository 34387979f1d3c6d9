import Commerce
import Pages
import SessionBroker

extension HTMLWriter {
    private static let wideYen: HTML = "\u{FFE5}"
    private static let narrowYen: HTML = "\u{A5}"

    /// Inserts an amount: yen sign, as wide as the letters of the language, and thousands commas.
    mutating func yen(_ amount: Yen, in language: Language) {
        html(language == .ja ? Self.wideYen : Self.narrowYen)
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
    /// An amount with its sign.
    mutating func appendInterpolation(_ amount: Yen, in language: Language) {
        append { $0.yen(amount, in: language) }
    }
}

extension LinkTarget {
    /// The button page.
    static let button = LinkTarget(own: "/button")
    /// The confirm page.
    static let confirm = LinkTarget(own: "/confirm_order")
    /// The result page.
    static let result = LinkTarget(own: "/checkout_result")
    /// The receipt.
    static let thanks = LinkTarget(own: "/thanks")
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
