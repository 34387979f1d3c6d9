import CheckoutCodes
import Commerce
import Pages
import SessionBroker
import Testing
import Web

@testable import Checkout

/// One rendering of one page, for the tests that look at all of them.
struct RenderedPage: Sendable, CustomTestStringConvertible {
    let name: String
    let language: Language
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var testDescription: String { name }
}

/// Every page in every language and every state that changes its markup.
let everyPage: [RenderedPage] = Language.allCases.flatMap(pages)

private func pages(_ language: Language) -> [RenderedPage] {
    (scripted(language) + plain(language)).map { name, bytes in
        RenderedPage(name: "\(name).\(language.rawValue)", language: language, bytes: bytes)
    }
}

private func scripted(_ language: Language) -> [(String, [UInt8])] {
    let pages = Samples.renderer
    let nonce = Samples.nonce
    let purchase = BrowserPurchase(
        returnTicket: Samples.returnTicket,
        launchTicket: Samples.launchTicket,
        orderReferenceID: Samples.checkoutSessionID,
        total: Yen(27996)
    )
    let fallback = Samples.link("https://127.0.0.1:9443/checkout/start")
    let button = ButtonView(
        client: .browser,
        order: OrderView(Samples.cart),
        start: Samples.start,
        fallbackAction: fallback
    )
    let buttonAlone = ButtonView(
        client: .browser,
        order: OrderView(Samples.cart),
        start: Samples.start,
        fallbackAction: nil
    )
    let ticket = Samples.launchTicket
    return [
        ("cart-browser", pages.cart(.browser, in: language, nonce: nonce)),
        ("cart-ios", pages.cart(.iosApp, in: language, nonce: nonce)),
        ("cart-android", pages.cart(.androidApp, in: language, nonce: nonce)),
        ("button", pages.button(button, in: language, nonce: nonce)),
        ("button-without-form", pages.button(buttonAlone, in: language, nonce: nonce)),
        ("open-automatic", pages.open(OpenView(mode: .autoPost, ticket: ticket), in: language, nonce: nonce)),
        ("open-tap", pages.open(OpenView(mode: .tap, ticket: ticket), in: language, nonce: nonce)),
        ("confirm", pages.confirm(Samples.confirm(), in: language, nonce: nonce)),
        ("confirm-browser", pages.confirm(Samples.confirm(for: .browser), in: language, nonce: nonce)),
        ("confirm-note", pages.confirm(Samples.confirm(for: .site, note: Samples.note), in: language, nonce: nonce)),
        ("confirm-strict", pages.confirm(Samples.confirm(.returnLink(Samples.returnLink)), in: language, nonce: nonce)),
        ("confirm-read-only", pages.confirm(Samples.confirm(.readOnly), in: language, nonce: nonce)),
        (
            "result-app",
            pages.result(.app(returnLink: Samples.returnLink, total: Yen(27996)), in: language, nonce: nonce)
        ),
        (
            "result-site",
            pages.result(.site(returnLink: Samples.returnLink, total: Yen(27996)), in: language, nonce: nonce)
        ),
        ("result-browser", pages.result(.browser(purchase), in: language, nonce: nonce)),
        ("link-fallback", pages.linkFallback(in: language, nonce: nonce)),
        ("link-error", pages.linkError(.notFound, in: language, nonce: nonce)),
    ]
}

private func plain(_ language: Language) -> [(String, [UInt8])] {
    let pages = Samples.renderer
    let number = OrderNumber(Samples.returnTicket.webviewSession)
    let thanks = ThanksView(
        client: .iosApp,
        orderNumber: number,
        order: Samples.order,
        address: Samples.address
    )
    let later = ThanksView(client: .browser, orderNumber: thanks.orderNumber, order: Samples.order, address: nil)
    let left = CancelledView(client: .browser, stage: .atProvider(returnTicket: nil), reference: number)
    let leftAfterReview = CancelledView(
        client: .iosApp,
        stage: .atProvider(returnTicket: Samples.returnTicket),
        reference: number
    )
    let ended = CancelledView(client: .androidApp, stage: .ended, reference: number)
    let error = ErrorView(code: .priceChanged, client: .browser, way: .confirm, reference: number.description)
    let reused = ErrorView(code: .sessionReused, client: .androidApp, reference: number.description)
    return [
        ("start", pages.start(in: language)),
        ("cancelled", pages.cancelled(left, in: language)),
        ("cancelled-after-review", pages.cancelled(leftAfterReview, in: language)),
        ("cancelled-ended", pages.cancelled(ended, in: language)),
        ("declined", pages.declined(DeclinedView(client: .browser, canRetry: true, reference: number), in: language)),
        (
            "declined-closed",
            pages.declined(DeclinedView(client: .iosApp, canRetry: false, reference: number), in: language)
        ),
        ("error", pages.error(error, in: language)),
        ("error-app", pages.error(reused, in: language)),
        ("error-bare", pages.error(ErrorView(code: .internalError), in: language)),
        ("neutral", pages.neutral(in: language)),
        ("cookies-blocked", pages.cookiesBlocked(in: language)),
        ("thanks", pages.thanks(thanks, in: language)),
        ("thanks-later", pages.thanks(later, in: language)),
        ("rescue", pages.rescue(RescueView(returnLink: Samples.returnLink), in: language)),
        ("rescue-closed", pages.rescue(RescueView(returnLink: nil), in: language)),
    ]
}
