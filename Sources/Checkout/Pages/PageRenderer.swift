import CheckoutCodes
import Pages
import SessionBroker
import Web

/// Every page of the shop in every language, compiled once and rendered from any thread.
///
/// Each function gives a whole document in UTF-8 with the matching policy named in its comment; the caller adds the fields
/// of the response. A page without a nonce parameter may be kept and sent again.
///
/// A class, as its languages are: they hold hundreds of arrays, which a copy would count one by one.
final class PageRenderer: Sendable {
    private let japanese: LanguagePages
    private let english: LanguagePages
    /// For pages of other features.
    let frames: EachLanguage<Frame>

    /// Compiles all pages.
    ///
    /// - Parameters:
    ///   - site: What is the same on every page.
    ///   - assets: The addresses of the static files.
    init(site: PageSite, assets: StaticAssets) {
        let frames = EachLanguage { CheckoutFrame($0, site, assets) }
        japanese = LanguagePages(frames[.ja])
        english = LanguagePages(frames[.en])
        self.frames = EachLanguage { frames[$0].shell }
    }

    /// The first page of a demonstration.
    ///
    /// Policy: `plain`. The same bytes at every call.
    ///
    /// - Parameter language: The language of the page.
    /// - Returns: The document.
    func start(in language: Language) -> [UInt8] {
        pages(language).start
    }

    /// The cart page.
    ///
    /// Policy: `scripted`.
    ///
    /// - Parameters:
    ///   - client: Who asks.
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func cart(_ client: ClientKind, in language: Language, nonce: Nonce) -> [UInt8] {
        switch client {
        case .iosApp: pages(language).iosCart.render(nonce: nonce)
        case .androidApp: pages(language).androidCart.render(nonce: nonce)
        // A buyer who comes from a merchant has a cart there, and is not sent to this one.
        case .browser, .site, .mobileApp: pages(language).browserCart.render(nonce: nonce)
        }
    }

    /// The button page, the tab's first.
    ///
    /// Policy: `ProviderPolicy`.
    ///
    /// - Parameters:
    ///   - view: The order and the provider's button.
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func button(_ view: ButtonView, in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).button.render(view, nonce: nonce)
    }

    /// The interstitial of the open modes `auto_post` and `tap`.
    ///
    /// Policy: `interstitial`.
    ///
    /// - Parameters:
    ///   - view: Mode and ticket.
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func open(_ view: OpenView, in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).open.render(view, nonce: nonce)
    }

    /// The confirm page.
    ///
    /// Policy: `ProviderPolicy`.
    ///
    /// - Parameters:
    ///   - view: Order, destination and the way to agree.
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func confirm(_ view: ConfirmView, in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).confirm.render(view, nonce: nonce)
    }

    /// The page after the provider's last page.
    ///
    /// Policy: `scripted`.
    ///
    /// - Parameters:
    ///   - view: The link to tap, or what the page posts.
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func result(_ view: ResultView, in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).result.render(view, nonce: nonce)
    }

    /// The page after a cancelled checkout.
    ///
    /// Policy: `form`.
    ///
    /// - Parameters:
    ///   - view: What is left of the webview session.
    ///   - language: The language of the page.
    /// - Returns: The document.
    func cancelled(_ view: CancelledView, in language: Language) -> [UInt8] {
        pages(language).cancelled.render(view)
    }

    /// The page after a declined payment, with `data-error="payment_declined"`.
    ///
    /// Policy: `plain`.
    ///
    /// - Parameters:
    ///   - view: The way on.
    ///   - language: The language of the page.
    /// - Returns: The document.
    func declined(_ view: DeclinedView, in language: Language) -> [UInt8] {
        pages(language).declined.render(view)
    }

    /// The error page, with the code in `data-error`.
    ///
    /// Policy: `plain`.
    ///
    /// - Parameters:
    ///   - view: What happened, and the ways on.
    ///   - language: The language of the page.
    /// - Returns: The document.
    func error(_ view: ErrorView, in language: Language) -> [UInt8] {
        pages(language).error.render(view)
    }

    /// The page for a tab whose webview session is over or unknown, with `data-error="unknown_session"` whichever it is.
    ///
    /// Policy: `plain`. The same bytes at every call.
    ///
    /// - Parameter language: The language of the page.
    /// - Returns: The document.
    func neutral(in language: Language) -> [UInt8] {
        pages(language).neutral
    }

    /// The page for a browser that keeps no cookie, such as one inside another app, with `data-error="cookies_blocked"`.
    ///
    /// Policy: `plain`. The same bytes at every call.
    ///
    /// - Parameter language: The language of the page.
    /// - Returns: The document.
    func cookiesBlocked(in language: Language) -> [UInt8] {
        pages(language).cookiesBlocked
    }

    /// The receipt.
    ///
    /// Policy: `plain`.
    ///
    /// - Parameters:
    ///   - view: Number, order and destination.
    ///   - language: The language of the page.
    /// - Returns: The document.
    func thanks(_ view: ThanksView, in language: Language) -> [UInt8] {
        pages(language).thanks.render(view)
    }

    /// The link host's page, which only shows where a link did not open the app.
    ///
    /// Policy: `linkFallback`.
    ///
    /// It carries its style inside and loads nothing, since its address may hold a ticket; its first script takes the query
    /// out of the address.
    ///
    /// - Parameters:
    ///   - language: The language of the page.
    ///   - nonce: Fresh for this response.
    /// - Returns: The document.
    func linkFallback(in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).link.render(nonce: nonce)
    }

    /// The link host's page of a refusal.
    ///
    /// Policy: `linkFallback`.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - language: Of the buyer.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func linkError(_ code: FailureCode, in language: Language, nonce: Nonce) -> [UInt8] {
        pages(language).link.render(code, nonce: nonce)
    }

    /// The web host's page that offers the return link once more.
    ///
    /// Policy: `plain`.
    ///
    /// - Parameters:
    ///   - view: The link, where this browser holds a webview session.
    ///   - language: The language of the page.
    /// - Returns: The document.
    func rescue(_ view: RescueView, in language: Language) -> [UInt8] {
        pages(language).rescue.render(view)
    }

    private func pages(_ language: Language) -> LanguagePages {
        switch language {
        case .ja: japanese
        case .en: english
        }
    }
}

/// The compiled pages of one language.
final class LanguagePages: Sendable {
    let iosCart: CartPage
    let androidCart: CartPage
    let browserCart: CartPage
    let button: ButtonPage
    let open: OpenPage
    let confirm: ConfirmPage
    let result: ResultPage
    let cancelled: CancelledPage
    let declined: DeclinedPage
    let error: ErrorPage
    let thanks: ThanksPage
    let link: LinkPage
    let rescue: RescuePage
    let start: [UInt8]
    let neutral: [UInt8]
    let cookiesBlocked: [UInt8]

    init(_ frame: CheckoutFrame) {
        iosCart = CartPage(frame, client: .iosApp)
        androidCart = CartPage(frame, client: .androidApp)
        browserCart = CartPage(frame, client: .browser)
        button = ButtonPage(frame)
        open = OpenPage(frame)
        confirm = ConfirmPage(frame)
        result = ResultPage(frame)
        cancelled = CancelledPage(frame)
        declined = DeclinedPage(frame)
        error = ErrorPage(frame)
        thanks = ThanksPage(frame)
        link = LinkPage(frame)
        rescue = RescuePage(frame)
        start = StartPage.render(frame)
        neutral = NoticePage.render(frame, frame.texts.neutral, .unknownSession)
        cookiesBlocked = NoticePage.render(frame, frame.texts.cookies, .cookiesBlocked)
    }
}
