import Commerce
import MerchantOrders
import Testing

@Suite("A link into a merchant's app")
struct AppLinkTests {
    @Test(
        arguments: [
            ("https://shop.example.com/app/paid", "https://shop.example.com"),
            ("https://shop.example.com:8443", "https://shop.example.com:8443"),
            ("com.example.shop://paid?cart=7", "com.example.shop:"), ("com.example.shop:paid", "com.example.shop:"),
            ("x-shop.b2:/", "x-shop.b2:"),
        ]
    )
    func `leads to an origin or a private scheme`(link: String, origin: String) {
        #expect(AppLinkOrigin(of: link)?.description == origin)
        #expect(AppLinkOrigin(of: link) == AppLinkOrigin(setting: origin))
    }

    @Test(
        arguments: [
            "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "intent://x#Intent;end",
            "http://shop.example.com/",
            "http://127.0.0.1/", "vbscript:x", "blob:https://shop.example.com/1", "about:blank", "mailto:a@b.example",
            "shop://paid", "com.example.shop", "com.example.shop:", ".example:x", "com..shop:x", "com.shop.:x",
            "Com.Example.Shop:x", "1com.example:x", "com.example.shop:a#b", "com.example.shop:a b",
            "com.example.shop:\u{7F}",
            "com.example.shop:\"", "com.example.shop:<", "com.example.shop:\\", "com.ex%2eample:x",
            "com.exämple.shop:x",
            "//com.example.shop:x", "https://a@shop.example.com/", "https://SHOP.example.com/",
            "https:/shop.example.com",
            "", ":", "java.script\n:x", " com.example.shop:x", "com.example.shop:" + String(repeating: "a", count: 500),
            "https://shop.example.com/" + String(repeating: "a", count: 500),
        ]
    )
    func `leads nowhere else`(link: String) {
        #expect(AppLinkOrigin(of: link) == nil)
    }

    @Test(
        arguments: [
            "javascript:", "data:", "http:", "https:", "https://", "com.example.shop", "com.example.shop://",
            "com.example.shop:paid", "https://shop.example.com/", "http://shop.example.com", "http://127.0.0.1", "*",
        ]
    )
    func `is allowed by nothing but an origin or a private scheme`(setting: String) {
        #expect(AppLinkOrigin(setting: setting) == nil)
    }

    @Test func `has to be allowed, each of the three`() throws {
        var policy = OrderPolicy(ledgerCurrency: .jpy)
        let good = "com.example.shop:x"
        let three = AppLinks(result: good, cancel: good, error: good)
        #expect(throws: DraftRefusal(.address, "resultUrl", "not at one of the origins that were agreed on")) {
            try policy.check(three)
        }
        policy.appLinks = [try #require(AppLinkOrigin(setting: "com.example.shop:"))]
        try policy.check(three)
        for (index, field) in ["resultUrl", "cancelUrl", "errorUrl"].enumerated() {
            for (bad, code) in [("com.example.shop.evil:x", DraftRefusal.Code.address), ("javascript:x", .invalid)] {
                let links = (0..<3).map { $0 == index ? bad : good }
                let refusal = #expect(throws: DraftRefusal.self) {
                    try policy.check(AppLinks(result: links[0], cancel: links[1], error: links[2]))
                }
                #expect(refusal?.code == code && refusal?.field == field)
            }
        }
    }
}
