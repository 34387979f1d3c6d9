import Commerce
import Pages
import Testing

@testable import Checkout

/// A shop's own logo, colour and terms on the pages.
@Suite struct `The look of a shop` {
    @Test func `is on every page, the link host's too, and asks for nothing elsewhere`() throws {
        let accent = try #require(AccentColour("#7a1f3d"))
        let logo = try #require(ShopLogo(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)))
        let assets = try StaticAssets(
            StaticAsset.ofCheckout,
            read: Samples.readPublic,
            digest: { _ in Samples.digest },
            look: ShopLook(logo: logo, accent: accent)
        )
        #expect(assets.files.suffix(2).map(\.contentType) == ["image/svg+xml", "text/css; charset=utf-8"])
        let pages = Samples.pages(Samples.site, assets)
        let page = String(decoding: pages[.ja].neutral.render(), as: UTF8.self)
        #expect(page.contains(#"src="/static/shop/logo.abababababababab.svg""#))
        #expect(page.contains(#"<link rel="stylesheet" href="/static/shop/colours.abababababababab.css">"#))
        let link = String(decoding: pages[.ja].link.render(nonce: Samples.nonce), as: UTF8.self)
        #expect(link.contains("--accent: #7a1f3d;") && !link.contains("/static/"))
    }

    @Test(arguments: Language.allCases) func `says its terms where the order is agreed on`(language: Language) {
        let terms = ShopTerms(
            payment: [.ja: "発送時", .en: "On dispatch"],
            delivery: [.ja: "3営業日以内", .en: "Within <3> days"],
            returns: [language: "8"],
            policies: [
                .legal: Samples.link("https://shop.example/legal"), .contact: Samples.link("https://shop.example/?a&b"),
            ]
        )
        let site = PageSite(
            shopName: "Shop",
            catalogue: .sample,
            checkoutScript: Samples.site.checkoutScript,
            rescue: Samples.site.rescue,
            terms: terms
        )
        let pages = Samples.pages(site, Samples.assets)
        let page = String(
            decoding: pages[language].confirm.render(Samples.confirm(), nonce: Samples.nonce),
            as: UTF8.self
        )
        #expect(ScannedDocument(page).complaints == [])
        #expect(page.contains(language == .ja ? "<dd>3営業日以内</dd>" : "<dd>Within &lt;3&gt; days</dd>"))
        let payment = language == .ja ? "<dt>お支払い時期</dt><dd>発送時</dd>" : "<dt>When you pay</dt><dd>On dispatch</dd>"
        #expect(page.contains(payment))
        let links = ScannedDocument(page).tags.filter { $0.value("rel") == "noreferrer" }.compactMap {
            $0.value("href")
        }
        #expect(links == ["https://shop.example/legal", "https://shop.example/?a&amp;b"])
        let plain = String(decoding: Samples.pages[language].neutral.render(), as: UTF8.self)
        #expect(!plain.contains("policies") && !plain.contains(#"id="terms""#))
    }
}
