import Commerce
import Pages
import Testing

/// A shop's own logo, colour and terms.
@Suite struct `A shop's look` {
    @Test(arguments: ["", "#fff", "17525f", "#17525g", "#17525f;", "#+17525", "red", "#17525f "])
    func `takes no colour of another form`(text: String) {
        #expect(AccentColour(text) == nil)
    }

    @Test(
        arguments: [
            // Text on it, and whether links have it on light and on dark ground.
            ("#17525f", "#ffffff", [true, false]), ("#ffffff", "#000000", [false, true]),
            ("#000000", "#ffffff", [true, false]), ("#ff9900", "#000000", [false, true]),
            // One step between white and black.
            ("#767676", "#ffffff", [false, false]), ("#777777", "#000000", [false, false]),
        ]
    ) func `takes a colour, and text that can be read on it`(text: String, ink: String, links: [Bool]) throws {
        let lines = try styles(text).split(separator: "\n")
        #expect(lines[0].contains("--accent: \(text);") && lines[0].contains("--accent-ink: \(ink)"))
        #expect(lines.dropFirst().map { $0.contains("--link: \(text);") } == links, "\(lines)")
    }

    @Test func `gives a button an edge where it is like its ground`() throws {
        #expect(try styles("#ffffff").contains("light) { :root { --accent-edge: var(--edge); } }"))
        #expect(try styles("#1d2327").contains("dark) { :root { --accent-edge: var(--edge); } }"))
        #expect(
            try !styles("#7a1f3d").contains("light) { :root { --link: #7a1f3d; --link-strong: #7a1f3d; --accent-edge")
        )
    }

    @Test func `is on every page, the link host's too, and asks for nothing elsewhere`() throws {
        let accent = try #require(AccentColour("#7a1f3d"))
        let logo = try #require(ShopLogo(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)))
        let assets = try StaticAssets(
            read: Samples.readPublic,
            digest: { _ in Samples.digest },
            look: ShopLook(logo: logo, accent: accent)
        )
        #expect(assets.files.suffix(2).map(\.contentType) == ["image/svg+xml", "text/css; charset=utf-8"])
        let pages = PageRenderer(site: Samples.site, assets: assets)
        let page = String(decoding: pages.neutral(in: .ja), as: UTF8.self)
        #expect(page.contains(#"src="/static/shop/logo.abababababababab.svg""#))
        #expect(page.contains(#"<link rel="stylesheet" href="/static/shop/colours.abababababababab.css">"#))
        let link = String(decoding: pages.linkFallback(in: .ja, nonce: Samples.nonce), as: UTF8.self)
        #expect(link.contains("--accent: #7a1f3d;") && !link.contains("/static/"))
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], true), ([0xFF, 0xD8, 0xFF, 0xE0], true),
            (Array("RIFF....WEBPVP8 ".utf8), true), (Array("<?xml version=\"1.0\"?>\n<svg>".utf8), true),
            (Array("-----BEGIN PRIVATE KEY-----".utf8), false), (Array("<html><svg>".utf8), false), ([], false),
            (Array("RIFF....WAVEfmt ".utf8), false),
        ] as [([UInt8], Bool)]
    ) func `takes a picture by its content`(bytes: [UInt8], isPicture: Bool) {
        #expect((ShopLogo(bytes) != nil) == isPicture)
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
        let pages = PageRenderer(site: site, assets: Samples.assets)
        let page = String(decoding: pages.confirm(Samples.confirm(), in: language, nonce: Samples.nonce), as: UTF8.self)
        #expect(ScannedDocument(page).complaints == [])
        #expect(page.contains(language == .ja ? "<dd>3営業日以内</dd>" : "<dd>Within &lt;3&gt; days</dd>"))
        let payment = language == .ja ? "<dt>お支払い時期</dt><dd>発送時</dd>" : "<dt>When you pay</dt><dd>On dispatch</dd>"
        #expect(page.contains(payment))
        let links = ScannedDocument(page).tags.filter { $0.value("rel") == "noreferrer" }.compactMap {
            $0.value("href")
        }
        #expect(links == ["https://shop.example/legal", "https://shop.example/?a&amp;b"])
        let plain = String(decoding: Samples.renderer.neutral(in: language), as: UTF8.self)
        #expect(!plain.contains("policies") && !plain.contains(#"id="terms""#))
    }

    private func styles(_ text: String) throws -> String {
        let accent = try #require(AccentColour(text))
        let look = ShopLook(accent: accent)
        let assets = try StaticAssets(read: Samples.readPublic, digest: { _ in Samples.digest }, look: look)
        return String(decoding: try #require(assets.files.last).bytes, as: UTF8.self)
    }
}
