import CheckoutCodes
import Commerce
import Foundation
import Pages
import SessionBroker
import Testing
import Web

@testable import Checkout

/// Texts that end a tag, an attribute, a script or a line of script where they are not escaped.
private let polyglots = [
    #""><script>alert(1)</script>"#,
    "'-alert(1)-'",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "\u{2028}alert(1)\u{2029}",
    #"\"};alert(1);//"#,
    "&lt;b&gt; & <b>",
    "\u{0}\u{8}\r\n\t",
]

/// A text from outside goes into a page as text, wherever it stands.
@Suite struct `A text from outside` {
    @Test(arguments: polyglots) func `leaves the confirm page well formed`(text: String) throws {
        let address = Address(Dictionary(uniqueKeysWithValues: Address.Part.allCases.map { ($0, text) }))
        let view = ConfirmView(
            webviewSession: Samples.session(of: .site, order: try order(named: text)),
            details: PrivateDetails(buyer: Buyer(), address: address, payment: text),
            checkoutSessionID: text,
            returnTicket: Samples.returnTicket,
            agreement: .form,
            note: text
        )
        let page = Samples.pages[.ja].confirm.render(view, nonce: Samples.nonce)
        let harmless = Samples.confirm(note: Samples.note)
        check(page, against: Samples.pages[.ja].confirm.render(harmless, nonce: Samples.nonce), text)
        #expect(try data(page)["checkoutSessionId"] as? String == text)
    }

    @Test(arguments: polyglots) func `leaves the button page well formed and the payload whole`(text: String) throws {
        let start = CheckoutStart(
            merchantID: text,
            publicKeyID: text,
            isSandbox: true,
            hasDelivery: true,
            payload: text,
            signature: text,
            algorithm: text
        )
        let action = Samples.link("https://127.0.0.1:9443/checkout/start")
        let view = ButtonView(
            webviewSession: Samples.session(of: .browser, order: try order(named: text)),
            start: start,
            fallbackAction: action
        )
        let page = Samples.pages[.en].button.render(view, nonce: Samples.nonce)
        #expect(ScannedDocument(String(decoding: page, as: UTF8.self)).complaints == [])
        let config = try #require(try data(page)["config"] as? [String: Any])
        let session = try #require(config["createCheckoutSessionConfig"] as? [String: Any])
        #expect(session["payloadJSON"] as? String == text)
        #expect(config["sandbox"] as? Bool == true)
    }

    @Test(arguments: polyglots) func `leaves the receipt and the error page well formed`(text: String) throws {
        let address = Address([.name: text, .addressLine1: text])
        let thanks = Samples.session(
            of: .browser,
            order: try order(named: text),
            details: PrivateDetails(buyer: Buyer(), address: address, payment: nil)
        )
        let error = ErrorView(code: .internalError, reference: text)
        for page in [Samples.pages[.ja].thanks.render(thanks), Samples.pages[.ja].error.render(error)] {
            #expect(ScannedDocument(String(decoding: page, as: UTF8.self)).complaints == [])
        }
    }

    @Test(arguments: polyglots) func `may be the shop's name`(text: String) {
        let site = PageSite(
            shopName: text,
            catalogue: .sample,
            checkoutScript: Samples.site.checkoutScript,
            rescue: Samples.site.rescue
        )
        let renderer = Samples.pages(site, Samples.assets)
        for page in [renderer[.ja].neutral.render(), renderer[.ja].cart(.browser).render(nonce: Samples.nonce)] {
            #expect(ScannedDocument(String(decoding: page, as: UTF8.self)).complaints == [])
        }
    }

    private func order(named name: String) throws -> Order {
        let article = Article(id: "item0008", name: name, price: Yen(8_980))
        return try Order(lines: [try OrderLine(article: article, quantity: 99)])
    }

    /// A text must not add a tag: the page has as many of each as with harmless texts, except rows of the order.
    private func check(_ page: [UInt8], against harmless: [UInt8], _ text: String) {
        let scanned = ScannedDocument(String(decoding: page, as: UTF8.self))
        let expected = ScannedDocument(String(decoding: harmless, as: UTF8.self))
        #expect(scanned.complaints == [])
        for name in ["script", "img", "b", "form", "input", "a"] {
            #expect(scanned.tags.count { $0.name == name } == expected.tags.count { $0.name == name })
        }
    }

    private func data(_ page: [UInt8]) throws -> [String: Any] {
        let document = ScannedDocument(String(decoding: page, as: UTF8.self))
        let block = try #require(document.tags.first { $0.value("id") == "page_data" })
        return try #require(try JSONSerialization.jsonObject(with: Data(block.text.utf8)) as? [String: Any])
    }
}
