import CheckoutCodes
import Commerce
import Pages
import SessionBroker
import Testing
import Web

@testable import Checkout

/// What single pages promise to apps, scripts and testers.
@Suite struct `A page's content` {
    private let pages = Samples.pages

    @Test(arguments: [ClientKind.iosApp, .androidApp, .browser])
    func `of the cart names the client and both quantities`(client: ClientKind) {
        let text = string(pages[.ja].cart(client).render(nonce: Samples.nonce))
        #expect(text.contains(#""client":"\#(client.rawValue)""#))
        for id in ["hd8", "hd10", "amzn_button", "error", "filter"] { #expect(text.contains(#"id="\#(id)""#)) }
        #expect(text.contains("￥9,878 <small>税込") && text.contains("￥17,578 <small>税込") && text.contains("￥27,456"))
        #expect(!text.contains("税抜"))
        #expect(text.contains(#"href="/\#(client.rawValue)/cart""#))
    }

    @Test func `of the cart asks for a verifier only where the site does`() {
        let site = PageSite(
            shopName: "Shop",
            catalogue: .sample,
            checkoutScript: Samples.site.checkoutScript,
            rescue: Samples.site.rescue,
            usesVerifier: true
        )
        let strict = Samples.pages(site, Samples.assets)
        #expect(string(strict[.ja].cart(.iosApp).render(nonce: Samples.nonce)).contains(#""verifier":true"#))
        #expect(string(pages[.ja].cart(.iosApp).render(nonce: Samples.nonce)).contains(#""verifier":false"#))
        #expect(!string(strict[.ja].neutral.render()).contains(#"class="demo""#))
    }

    @Test func `of the confirm page posts C and the total`() {
        let text = string(pages[.ja].confirm.render(Samples.confirm(), nonce: Samples.nonce))
        #expect(text.contains(#"name="secureWebviewSessionId" value="\#(Samples.returnTicket.text)""#))
        #expect(text.contains(#"name="totalPrice" value="27,996""#))
        #expect(!text.contains(Samples.launchTicket.text))
    }

    @Test(arguments: ClientKind.allCases, Language.allCases)
    func `of the confirm page promises an order only where the button places one`(
        client: ClientKind,
        language: Language
    ) {
        let text = string(pages[language].confirm.render(Samples.confirm(for: client), nonce: Samples.nonce))
        let promise = language == .ja ? ">注文を確定する</button>" : ">Place the order</button>"
        #expect(text.contains(promise) == (client == .browser))
    }

    @Test(arguments: Language.allCases)
    func `of an order with prices that include tax has the tax of each rate, the mark and what it means`(
        language: Language
    ) throws {
        let issuer = Samples.issuerPages[language]
        let session = Samples.session(of: .browser, order: Samples.mixed)
        let confirm = string(
            issuer.confirm.render(Samples.confirm(for: .browser, order: Samples.mixed), nonce: Samples.nonce)
        )
        let expected =
            language == .ja
            ? [
                "緑茶 500ml※ <small>￥198 × 3 税込</small></th><td>￥594</td>", "湯呑 &lt;b&gt; <small>￥880 × 1 税込</small>",
                "<dt>10%対象</dt><dd>￥1,415 <small>（内消費税 ￥128）</small></dd>",
                "<dt>8%対象</dt><dd>￥589 <small>（内消費税 ￥43）</small></dd>", "<dt>登録番号</dt><dd>T1234567890123</dd>",
                "※ は軽減税率（8%）の対象です。",
            ]
            : [
                "緑茶 500ml※ <small>¥198 × 3 with tax</small></th><td>¥594</td>",
                "<dt>Taxed at 10%</dt><dd>¥1,415 <small>(incl. tax ¥128)</small></dd>",
                "<dt>Taxed at 8%</dt><dd>¥589 <small>(incl. tax ¥43)</small></dd>",
                "<dt>Registration number</dt><dd>T1234567890123</dd>", "※ Taxed at the reduced rate of 8%.",
            ]
        for page in [confirm, string(issuer.thanks.render(session))] {
            for part in expected { #expect(page.contains(part), "\(part): \(page)") }
            #expect(page.contains(#"<td id="total">\#(language == .ja ? "￥" : "¥")2,004</td>"#))
        }
        let cart = string(pages[language].confirm.render(Samples.confirm(), nonce: Samples.nonce))
        #expect(!cart.contains("※") && !cart.contains("T1234567890123") && cart.contains(#"id="taxes""#))
        let withoutTax = Samples.confirm(for: .browser, order: Samples.withoutTax)
        let excluded = string(issuer.confirm.render(withoutTax, nonce: Samples.nonce))
        #expect(!excluded.contains(#"id="taxes""#) && !excluded.contains("T1234567890123"))
        #expect(excluded.contains(language == .ja ? "￥8,980 × 1 税抜" : "¥8,980 × 1 before tax"))
    }

    @Test(arguments: Language.allCases)
    func `of an order marks a shipping cost at the reduced rate, and states no tax where there is none`(
        language: Language
    ) throws {
        let stamps = Article(id: "stamps", name: "Stamps", price: Yen(1_000), taxRate: .untaxed)
        let lines = [try OrderLine(article: stamps, quantity: 1)]
        let yen = language == .ja ? "￥" : "¥"
        let (name, mark, legend) =
            language == .ja ? ("送料", "※", "※ は軽減税率") : ("Shipping", "※", "※ Taxed at the reduced rate")
        for rate in [TaxRate.reduced, .standard] {
            let order = try Order(lines: lines, tax: .zero, postageRate: rate)
            let page = string(pages[language].confirm.render(Samples.confirm(order: order), nonce: Samples.nonce))
            #expect(page.contains("\(name)\(rate == .reduced ? mark : "")</th>"), "\(page)")
            #expect(page.contains(legend) == (rate == .reduced))
            #expect(page.contains("<dd>\(yen)1,000</dd>") && page.contains("<dd>\(yen)540 <small>"))
        }
    }

    @Test func `of an order adds up`() {
        let page = string(pages[.ja].confirm.render(Samples.confirm(), nonce: Samples.nonce))
        let sums = page.split(separator: "<tfoot>")[1].split(separator: "</tfoot>")[0].split(separator: "￥").dropFirst()
        let amounts = sums.compactMap { Int($0.prefix { $0.isNumber || $0 == "," }.filter { $0 != "," }) }
        #expect(amounts == [27_456, 540, 27_996])
        #expect(amounts.dropLast().reduce(0, +) == amounts.last)
    }

    @Test func `of the strict confirm page links to the app instead`() {
        let view = Samples.confirm(.returnLink(Samples.returnLink))
        let document = ScannedDocument(string(pages[.ja].confirm.render(view, nonce: Samples.nonce)))
        let link = document.tags.first { $0.value("id") == "purchase_link" }
        #expect(unescaped(link?.value("href")) == Samples.returnLink.text)
        #expect(!document.tags.contains { $0.value("id") == "confirm_form" })
    }

    @Test func `of the read-only confirm page changes nothing`() {
        let document = ScannedDocument(
            string(pages[.ja].confirm.render(Samples.confirm(.readOnly), nonce: Samples.nonce))
        )
        #expect(!document.tags.contains { ["form", "script", "input", "button"].contains($0.name) })
    }

    @Test func `of the result page for an app is the link, whole`() {
        let page = pages[.en].result.render(
            .app(returnLink: Samples.returnLink, total: Yen(27_996)),
            nonce: Samples.nonce
        )
        let link = ScannedDocument(string(page)).tags.first { $0.value("id") == "purchase_link" }
        #expect(unescaped(link?.value("href")) == Samples.returnLink.text)
    }

    @Test(arguments: [true, false]) func `of the result page for a browser is a form that works alone`(hasTicket: Bool)
    {
        let purchase = BrowserPurchase(
            returnTicket: Samples.returnTicket,
            launchTicket: hasTicket ? Samples.launchTicket : nil,
            orderReferenceID: Samples.checkoutSessionID,
            total: Yen(27_996)
        )
        let document = ScannedDocument(string(pages[.ja].result.render(.browser(purchase), nonce: Samples.nonce)))
        let fields = document.tags.filter { $0.name == "input" }.map {
            ($0.value("name") ?? "", $0.value("value") ?? "")
        }
        var expected = [
            "secureWebviewSessionId": Samples.returnTicket.text, "accessToken": "sealed",
            "orderReferenceId": Samples.checkoutSessionID, "totalPrice": "27,996",
        ]
        if hasTicket { expected["old_secureWebviewSessionId"] = Samples.launchTicket.text }
        #expect(Dictionary(uniqueKeysWithValues: fields) == expected)
        let form = document.tags.first { $0.name == "form" }
        #expect(form?.value("method") == "post" && form?.value("action") == "/purchase")
        #expect(document.tags.contains { $0.name == "button" && $0.value("hidden") == nil })
    }

    @Test(arguments: FailureCode.ofCheckout, Language.allCases)
    func `of the error page carries the code and a text of its own`(code: FailureCode, language: Language) {
        let page = string(pages[language].error.render(ErrorView(code: code)))
        #expect(ScannedDocument(page).tags.first?.value("data-error") == code.name)
        let others = FailureCode.ofCheckout.filter { $0 != code && ![$0, code].allSatisfy(isProof) }
        let text = detail(page)
        #expect(text.count > 8)
        #expect(others.allSatisfy { detail(string(pages[language].error.render(ErrorView(code: $0)))) != text })
    }

    @Test(arguments: [ClientKind?.none] + ClientKind.allCases)
    func `of the error page has a way on and a number to quote`(client: ClientKind?) {
        let page = string(
            pages[.en].error.render(ErrorView(code: .sessionReused, client: client, reference: "4F7K9-2QX8M"))
        )
        #expect(page.contains(#"<code id="reference">4F7K9-2QX8M</code>"#))
        #expect(page.contains(#"href="/browser/cart""#) == (client == .browser))
        #expect(page.contains("close this page") == (client != .browser))
        #expect(page.contains("<h1>This checkout has ended</h1>") && page.contains("<title>This checkout has ended |"))
    }

    @Test(
        arguments: [
            ("離島", "Islands", Language.ja, "ja", "離島"), ("離島", "Islands", .en, "en", "Islands"),
            ("離島", nil, .en, "ja", "離島"), (nil, "<Islands>", .ja, "en", "&lt;Islands&gt;"),
        ] as [(String?, String?, Language, String, String)]
    )
    func `says in the merchant's words why an address is not served, marked by their language`(
        japanese: String?,
        english: String?,
        language: Language,
        tag: String,
        text: String
    ) throws {
        let sentence = try #require(BuyerSentence(japanese: japanese, english: english))
        let view = Samples.confirm(.undeliverable(.said(sentence)))
        let page = string(pages[language].confirm.render(view, nonce: Samples.nonce))
        #expect(page.contains(#"<p id="undeliverable" role="alert" lang="\#(tag)">\#(text)</p>"#), "\(page)")
        let tags = ScannedDocument(page).tags
        #expect(tags.filter { $0.value("id") == "change_address" }.count == 1)
        #expect(!tags.contains { ["confirm_form", "purchase_link", "purchase_button"].contains($0.value("id")) })
        // A way out for good is there, as on each page of the checkout.
        #expect(tags.contains { $0.value("id") == "cancel_button" })
    }

    @Test(arguments: Language.allCases) func `of an order that is not sent has neither address nor postage`(
        language: Language
    ) {
        let thanks = pages[language].thanks.render(
            Samples.session(of: .site, details: Samples.download.details, postage: .zero),
            hasDelivery: false
        )
        let confirm = pages[language].confirm.render(Samples.download, nonce: Samples.nonce)
        let button = pages[language].button.render(Samples.downloadButton, nonce: Samples.nonce)
        for page in [button, confirm, thanks].map(string) {
            let ids = ScannedDocument(page).tags.compactMap { $0.value("id") }
            #expect(!ids.contains("postage") && !ids.contains("change_address") && ids.contains("total"))
            for word in ["お届け先", "送料", "Deliver to", "Shipping", "Postal code"] {
                #expect(!page.contains(word), "\(word): \(page)")
            }
            #expect(page.contains("27,456"))
        }
        #expect(string(button).contains(#"name="productType" value="PayOnly""#))
    }

    @Test func `of a foreign address runs from the street to the country`() {
        let address = Address([
            .name: "A. Buyer", .addressLine1: "1 Main Street", .city: "Seattle", .stateOrRegion: "WA",
            .postalCode: "98101", .countryCode: "US",
        ])
        let details = PrivateDetails(buyer: Buyer(), address: address, payment: nil)
        let view = Samples.session(of: .browser, details: details)
        #expect(string(pages[.en].thanks.render(view)).contains("1 Main Street<br>Seattle<br>WA<br>US"))
        #expect(string(pages[.en].thanks.render(view)).contains("<dd>-</dd>"))
    }

    @Test(arguments: ClientKind.allCases) func `after a cancelled checkout leads back`(client: ClientKind) {
        let text = string(pages[.ja].canceled.render(Samples.session(of: client), .atProvider(returnTicket: nil)))
        #expect(text.contains(#"href="/button""#))
        #expect(text.contains(#"href="/browser/cart""#) == !client.isApp)
        #expect(text.contains("✕ をタップして閉じて") == (client.isApp && client != .site))
        #expect(text.contains("ショップに戻るには") == (client == .site))
    }

    @Test(arguments: Language.allCases)
    func `of the button page waits for nothing where no script runs`(language: Language) {
        let page = string(pages[language].button.render(buttonView(.browser), nonce: Samples.nonce))
        let tags = ScannedDocument(page).tags
        for id in ["spinner", "status", "slow"] {
            #expect(tags.first { $0.value("id") == id }?.value("hidden") != nil, "\(id) waits for the script")
        }
        let fallback = page.split(separator: "<noscript>")[1].split(separator: "</noscript>")[0]
        #expect(fallback.contains(#"href="/button""#))
    }

    @Test(arguments: ClientKind.allCases)
    func `of the button page has a way out where the provider's script cannot be loaded`(client: ClientKind) {
        let page = string(pages[.en].button.render(buttonView(client), nonce: Samples.nonce))
        let slow = page.split(separator: #"<div id="slow""#)[1].split(separator: "</div>")[0]
        #expect(slow.contains(#"href="/button""#))
        #expect(slow.contains(#"href="/browser/cart""#) == (client == .browser))
        #expect(slow.contains("<p class=\"note\">") == (client != .browser))
    }

    @Test func `of the link host takes the query away before anything else`() {
        let document = ScannedDocument(string(pages[.ja].link.render(nonce: Samples.nonce)))
        let names = document.tags.map(\.name)
        #expect(Array(names.prefix(4)) == ["html", "head", "meta", "script"])
        #expect(document.tags[3].text == #"history.replaceState(null, "", location.pathname);"#)
        #expect(!document.tags.contains { $0.value("src") != nil })
    }

    private func buttonView(_ client: ClientKind) -> ButtonView {
        ButtonView(webviewSession: Samples.session(of: client), start: Samples.start, fallbackAction: nil)
    }

    private func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func isProof(_ code: FailureCode) -> Bool { code == .proofRequired || code == .proofMismatch }

    private func detail(_ page: String) -> Substring {
        page.split(separator: #"<p id="detail">"#).last?.split(separator: "</p>").first ?? ""
    }

    private func unescaped(_ text: String?) -> String? {
        text?.split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&")
    }
}
