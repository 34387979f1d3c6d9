import CheckoutCodes
import Pages
import SessionBroker

/// The checkout's pages of one language, compiled when the program starts and rendered from any thread.
///
/// Each gives a whole document in UTF-8; the caller adds the fields of the response, with the policy that the page names. One
/// without a nonce may be kept and sent again.
///
/// A class, since the pages hold hundreds of arrays, which a copy would count one by one.
final class CheckoutPages: Sendable {
    private let iosCart: CartPage
    private let androidCart: CartPage
    private let browserCart: CartPage
    let button: ButtonPage
    let open: OpenPage
    let confirm: ConfirmPage
    let result: ResultPage
    let canceled: CanceledPage
    let declined: DeclinedPage
    let error: ErrorPage
    let thanks: ThanksPage
    let link: LinkPage
    let rescue: RescuePage
    /// The first page of a demonstration; its policy is `plain`, as of the next two.
    let start: [UInt8]
    /// For a tab whose webview session is over or unknown, which it does not say.
    let neutral: NoticePage
    /// The same for the tab of an order that was completed.
    let neutralPaid: NoticePage
    /// The same for the tab of an order that is being completed.
    let neutralPending: NoticePage
    /// For a browser that keeps no cookie, such as one inside another app.
    let cookiesBlocked: NoticePage

    init(_ frame: CheckoutFrame) {
        iosCart = CartPage(frame, client: .iosApp)
        androidCart = CartPage(frame, client: .androidApp)
        browserCart = CartPage(frame, client: .browser)
        button = ButtonPage(frame)
        open = OpenPage(frame)
        confirm = ConfirmPage(frame)
        result = ResultPage(frame)
        canceled = CanceledPage(frame)
        declined = DeclinedPage(frame)
        error = ErrorPage(frame)
        thanks = ThanksPage(frame)
        link = LinkPage(frame)
        rescue = RescuePage(frame)
        start = StartPage.render(frame)
        neutral = NoticePage(frame, frame.texts.neutral, .unknownSession)
        neutralPaid = NoticePage(frame, NoticeTexts(.unknownSession, .paid, frame.texts), .unknownSession)
        neutralPending = NoticePage(frame, NoticeTexts(.unknownSession, .pending, frame.texts), .unknownSession)
        cookiesBlocked = NoticePage(frame, frame.texts.cookies, .cookiesBlocked)
    }

    /// The cart page of a client.
    func cart(_ client: ClientKind) -> CartPage {
        switch client {
        case .iosApp: iosCart
        case .androidApp: androidCart
        // A buyer who comes from a merchant has a cart there, and is not sent to this one.
        case .browser, .site, .mobileApp: browserCart
        }
    }
}
