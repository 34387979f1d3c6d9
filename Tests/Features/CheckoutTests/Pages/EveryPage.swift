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
    (scripted(language) + ofDelivery(language) + plain(language)).map { name, bytes in
        RenderedPage(name: "\(name).\(language.rawValue)", language: language, bytes: bytes)
    }
}

private func scripted(_ language: Language) -> [(String, [UInt8])] {
    let pages = Samples.pages
    let nonce = Samples.nonce
    let purchase = BrowserPurchase(
        returnTicket: Samples.returnTicket,
        launchTicket: Samples.launchTicket,
        orderReferenceID: Samples.checkoutSessionID,
        total: Yen(27996)
    )
    let fallback = Samples.link("https://127.0.0.1:9443/checkout/start")
    let button = ButtonView(
        webviewSession: Samples.session(of: .browser),
        start: Samples.start,
        fallbackAction: fallback
    )
    let buttonAlone = ButtonView(
        webviewSession: Samples.session(of: .browser),
        start: Samples.start,
        fallbackAction: nil
    )
    let ticket = Samples.launchTicket
    return [
        ("cart-browser", pages[language].cart(.browser).render(nonce: nonce)),
        ("cart-ios", pages[language].cart(.iosApp).render(nonce: nonce)),
        ("cart-android", pages[language].cart(.androidApp).render(nonce: nonce)),
        ("button", pages[language].button.render(button, nonce: nonce)),
        ("button-without-form", pages[language].button.render(buttonAlone, nonce: nonce)),
        ("open-automatic", pages[language].open.render(.autoPost, ticket, nonce: nonce)),
        ("open-again", pages[language].open.render(.again, ticket, nonce: nonce)),
        ("open-tap", pages[language].open.render(.tap, ticket, nonce: nonce)),
        ("confirm", pages[language].confirm.render(Samples.confirm(), nonce: nonce)),
        ("confirm-browser", pages[language].confirm.render(Samples.confirm(for: .browser), nonce: nonce)),
        ("confirm-note", pages[language].confirm.render(Samples.confirm(for: .site, note: Samples.note), nonce: nonce)),
        (
            "confirm-strict",
            pages[language].confirm.render(Samples.confirm(.returnLink(Samples.returnLink)), nonce: nonce)
        ),
        (
            "confirm-rates",
            Samples.issuerPages[language].confirm.render(
                Samples.confirm(for: .site, note: Samples.note, order: Samples.mixed),
                nonce: nonce
            )
        ),
        (
            "confirm-without-tax",
            pages[language].confirm.render(Samples.confirm(for: .site, order: Samples.withoutTax), nonce: nonce)
        ),
        ("confirm-read-only", pages[language].confirm.render(Samples.confirm(.readOnly), nonce: nonce)),
        (
            "result-app",
            pages[language].result.render(.app(returnLink: Samples.returnLink, total: Yen(27996)), nonce: nonce)
        ),
        (
            "result-site",
            pages[language].result.render(.site(returnLink: Samples.returnLink, total: Yen(27996)), nonce: nonce)
        ),
        (
            "result-app-completing",
            pages[language].result.render(
                .app(returnLink: Samples.returnLink, total: Yen(27996), isBeingCompleted: true),
                nonce: nonce
            )
        ),
        (
            "result-site-completing",
            pages[language].result.render(
                .site(returnLink: Samples.returnLink, total: Yen(27996), isBeingCompleted: true),
                nonce: nonce
            )
        ),
        ("result-browser", pages[language].result.render(.browser(purchase), nonce: nonce)),
        ("link-fallback", pages[language].link.render(nonce: nonce)),
        ("link-error", pages[language].link.render(.notFound, nonce: nonce)),
    ]
}

/// Where nothing is sent to an address, or to none.
private func ofDelivery(_ language: Language) -> [(String, [UInt8])] {
    let pages = Samples.pages
    let nonce = Samples.nonce
    return [
        (
            "confirm-undeliverable",
            pages[language].confirm.render(Samples.confirm(.undeliverable(.said(Samples.sentence))), nonce: nonce)
        ),
        (
            "confirm-restricted",
            pages[language].confirm.render(Samples.confirm(.undeliverable(.restricted)), nonce: nonce)
        ),
        ("confirm-download", pages[language].confirm.render(Samples.download, nonce: nonce)),
        ("button-download", pages[language].button.render(Samples.downloadButton, nonce: nonce)),
    ]
}

private func plain(_ language: Language) -> [(String, [UInt8])] {
    let pages = Samples.pages
    let number = OrderNumber(Samples.returnTicket.webviewSession)
    let inApp = Samples.session(of: .iosApp, details: Samples.details)
    let inBrowser = Samples.session(of: .browser)
    let error = ErrorView(code: .priceChanged, client: .browser, reference: number.description)
    let reused = ErrorView(code: .sessionReused, client: .androidApp, reference: number.description)
    let paid = ErrorView(code: .sessionReused, progress: .paid, client: .browser, holdsReceipt: true)
    let pending = ErrorView(
        code: .sessionReused,
        progress: .pending,
        client: .browser,
        holdsTab: true,
        reference: number.description
    )
    let placed = ErrorView(code: .sessionReused, progress: .placed, reference: number.description)
    return [
        ("start", pages[language].start),
        ("canceled", pages[language].canceled.render(inBrowser, .atProvider(returnTicket: nil))),
        (
            "canceled-after-review",
            pages[language].canceled.render(inApp, .atProvider(returnTicket: Samples.returnTicket))
        ),
        ("canceled-ended", pages[language].canceled.render(Samples.session(of: .androidApp), .ended)),
        ("declined", pages[language].declined.render(inBrowser)),
        ("error", pages[language].error.render(error)),
        ("error-app", pages[language].error.render(reused)),
        ("error-bare", pages[language].error.render(ErrorView(code: .internalError))),
        ("error-paid", pages[language].error.render(paid)),
        ("error-pending", pages[language].error.render(pending)),
        ("error-placed", pages[language].error.render(placed)),
        ("neutral", pages[language].neutral.render()),
        ("neutral-paid", pages[language].neutralPaid.render(receipt: true)),
        ("neutral-pending", pages[language].neutralPending.render()),
        ("cookies-blocked", pages[language].cookiesBlocked.render()),
        ("thanks", pages[language].thanks.render(inApp)),
        (
            "thanks-rates",
            Samples.issuerPages[language].thanks.render(Samples.session(of: .browser, order: Samples.mixed))
        ),
        ("thanks-download", pages[language].thanks.render(Samples.download.webviewSession, hasDelivery: false)),
        ("thanks-later", pages[language].thanks.render(inBrowser)),
        ("rescue", pages[language].rescue.render(Samples.returnLink)),
        ("rescue-closed", pages[language].rescue.render(nil)),
    ]
}
