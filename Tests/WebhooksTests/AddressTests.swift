import Testing
import Webhooks

@Suite("An address for events")
struct AddressTests {
    @Test(
        arguments: [
            "https://shop.example/hook", "https://shop.example:8443", "https://10.1.2.3/hook?key=1",
            "https://[2001:db8::1]:443/", "https://shop_1.internal",
        ]
    )
    func `may be any https address of another machine`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) == nil)
    }

    @Test(
        arguments: [
            "", "shop.example", "http://shop.example/", "ftp://shop.example/", "https://", "https:///hook",
            "https://user@shop.example/", "https://user:pass@shop.example/", "https://shop.example/#part",
            "https://shop.example/a b", "https://shop.example/\u{e9}", "https://shop.example:0/",
            "https://shop.example:99999/", "https://shop.example:x/", "https://[::1", "https://[::1]x/",
            "https://shop.example\\@127.0.0.1/", "https://" + String(repeating: "a", count: 2100), "https://ex ample/",
            "HTTPS://shop.example/",
        ]
    )
    func `is refused with a reason`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: true) != nil)
    }

    @Test(
        arguments: [
            "http://localhost:8080/", "https://localhost/", "https://app.localhost/", "http://127.0.0.1:1/",
            "http://[::1]:9/", "https://LOCALHOST/", "https://0.0.0.0/", "https://2130706433/", "https://0x7f000001/",
            "https://localhost./", "https://[::ffff:127.0.0.1]/",
        ]
    )
    func `of this machine needs a setting`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) != nil)
        #expect(WebhookAddress.problem(url, allowsLoopback: true) == nil)
    }
}
