import HTTPClient
import IntegrationKit
import Testing

/// T36 of docs/contract.md: an unmodified sample app completes a purchase.
@Suite struct `An unmodified sample app` {
    @Test(arguments: ["standard", "compat"], HTTPVersion.allCases)
    func `for iOS buys once and shows the receipt`(_ profile: String, version: HTTPVersion) async throws {
        try await withShop(.over(version, ["profile": profile])) { shop in
            let app = try await SeedIOSApp(shop)
            let page = try await shop.tab().cross(try await app.tapButton())
            let link = try #require(page.link("purchase_link"))
            let answer = try #require(try await app.openLink(link).answer)
            try await expectPurchase(answer, shop)
            let thanks = try await app.page.thanks()
            #expect(thanks.status == 200)
            #expect(thanks.text.contains("見本 太郎"))
            #expect(thanks.text.contains("27,996"))
        }
    }

    @Test(arguments: ["standard", "compat"], HTTPVersion.allCases)
    func `for Android buys once and shows the receipt`(_ profile: String, version: HTTPVersion) async throws {
        try await withShop(.over(version, ["profile": profile])) { shop in
            let app = try await SeedAndroidApp(shop)
            let page = try await shop.tab().cross(try await app.tapButton())
            let link = try #require(page.link("purchase_link"))
            let answer = try #require(try await app.openLink(link).answer)
            try await expectPurchase(answer, shop)
            #expect(try await app.page.thanks().status == 200)
        }
    }

    private func expectPurchase(_ answer: Page, _ shop: Shop) async throws {
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.text.hasPrefix(#"{"status":"200","message":"The order placed.","orderId":""#))
        let completes = try await shop.control.calls("CompleteCheckoutSession")
        #expect(completes.map(\.isEffective) == [true])
        #expect(completes.map(\.amount) == ["27996"])
        #expect(try shop.state(of: answer.webviewSession) == "authorized")
    }
}

/// Profile strict: the halves meet in the app before the buyer agrees.
@Suite struct `Profile strict` {
    @Test func `sends the app back to the tab once, and completes`() async throws {
        try await withShop(ShopOptions(["profile": "strict"])) { shop in
            let app = try await SeedIOSApp(shop)
            let tab = shop.tab()
            let first = try await tab.cross(try await app.tapButton())
            let link = try #require(first.link("purchase_link"))
            let met = try #require(try await app.openLink(link).answer)
            #expect(met.status == 202, "\(met.text)")
            #expect(try await shop.control.calls("UpdateCheckoutSession").isEmpty)
            let second = try await tab.cross(app.receive(met))
            let finalLink = try #require(second.link("purchase_link"))
            let answer = try #require(try await app.openLink(finalLink).answer)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await shop.effectiveCompletions() == 1)
            #expect(try await app.page.thanks().status == 200)
        }
    }

    @Test func `refuses a purchase without the page's verifier`() async throws {
        try await withShop(ShopOptions(["profile": "strict"])) { shop in
            let app = try await SeedIOSApp(shop)
            let page = try await shop.tab().cross(try await app.tapButton())
            let link = try ReturnFields(page)
            app.page.forget()
            let answer = try await app.page.purchase(link.ticket, link.accessToken, link.order)
            #expect(answer.status == 403)
            #expect(try await shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }
}

@Suite("What tests call HTTP/2")
struct VersionTests {
    @Test(arguments: HTTPVersion.allCases)
    func `is spoken by browsers and apps alike`(version: HTTPVersion) async throws {
        try await withShop(.over(version)) { shop in
            _ = try await shop.shopper()
            let browser = TestBrowser(HostTable([:]), home: shop.admin, language: "en")
            let metrics = try await browser.request("GET", "/metrics").text
            let line = metrics.split(separator: "\n").first {
                $0.hasPrefix("sallyport_http_h2_connections_total") && $0.contains("public")
            }
            #expect(line?.hasSuffix(" 0") == (version == .http1))
        }
    }
}
