import MerchantOrders
import Testing

@Suite("An origin")
struct CallbackOriginTests {
    @Test(
        arguments: [
            ("https://shop.example.test", "https://shop.example.test"),
            ("https://shop.example.test/", "https://shop.example.test"),
            ("https://shop.example.test:443/a?b=c", "https://shop.example.test"),
            ("https://shop.example.test:8443/a", "https://shop.example.test:8443"),
            ("https://127.0.0.1:9443", "https://127.0.0.1:9443"), ("https://a/https://b/", "https://a"),
            ("https://a/@b", "https://a"), ("https://xn--fiq.test/", "https://xn--fiq.test"),
        ]
    )
    func `is host and port of an address`(address: String, origin: String) {
        #expect(CallbackOrigin(of: address)?.description == origin)
    }

    @Test(
        arguments: [
            "", "https://", "https:///a", "http://shop.example.test/", "HTTPS://shop.example.test/", "//a/",
            "https://Shop.example.test/", "https://user@shop.example.test/", "https://a:b@c/", "https://a:/",
            "https://a:0/", "https://a:65536/", "https://a:+1/", "https://a:08443/", "https://.a/", "https://a./",
            "https://a..b/", "https://a?b", "https://a#b", "https://a/#b", "https://a\\b/", "https://a/ b",
            "https://a/\n", "https://[::1]/", "https://ä.test/", "https://a_b/", "https://a%2eb/", " https://a/",
            "javascript:alert(1)",
            "https://a/" + String(repeating: "x", count: 2_048),
        ]
    )
    func `is not found in any other text`(address: String) {
        #expect(CallbackOrigin(of: address) == nil)
    }

    @Test(
        arguments: [
            ("https://a.test", true), ("https://a.test:8443", true), ("https://a.test/", false),
            ("https://a.test/x", false), ("https://*.a.test", false), ("a.test", false), ("null", false),
        ]
    )
    func `as a setting is an origin and no more`(setting: String, isGood: Bool) {
        #expect((CallbackOrigin(setting: setting) != nil) == isGood)
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:8098/p", "http://127.0.0.1:8098"), ("http://localhost/p", "http://localhost"),
            ("http://localhost:80/", "http://localhost"), ("http://localhost:443/", "http://localhost:443"),
            ("http://127.0.0.2/", "http://127.0.0.2"), ("http://127.shop.example/", nil),
            ("http://shop.example.test/", nil), ("http://localhost.example.test/", nil),
            ("http://localhost@shop.example.test/", nil), ("https://localhost/", "https://localhost"),
        ] as [(String, String?)]
    )
    func `in clear is of this machine only, and only where that is asked for`(address: String, origin: String?) {
        #expect(CallbackOrigin(of: address, orClearLoopback: true)?.description == origin)
        if address.hasPrefix("http:") { #expect(CallbackOrigin(of: address) == nil) }
    }

    @Test func `is the same with the port written and without, and another one at another port`() {
        #expect(CallbackOrigin(of: "https://a.test:443/") == CallbackOrigin(of: "https://a.test/x"))
        #expect(CallbackOrigin(of: "https://a.test:444/") != CallbackOrigin(of: "https://a.test/x"))
        #expect(CallbackOrigin(of: "https://b.a.test/") != CallbackOrigin(of: "https://a.test/"))
    }
}
