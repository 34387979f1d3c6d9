import Pages
import Testing

/// What may stand in `href`, `src` and `action`.
@Suite struct `An address` {
    @Test(
        arguments: [
            "/", "/button", "/iosApp/cart", "/static/css/sallyport.0123456789abcdef.css",
            "https://links.localhost:8443/index.html?secureWebviewSessionId=swc_A&accessToken=sealed",
            "http://localhost:9443/checkout/start", "https://shop.example", "https://[::1]:8443/x",
        ]
    ) func `of our own host or of a web host is taken`(text: String) {
        #expect(LinkTarget(text)?.text == text)
    }

    @Test(
        arguments: [
            "", "button", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//evil.example/",
            "/\\evil.example", "\\\\evil.example", "https://", "https:///path", "https://user@evil.example/",
            "http://:80/",
            "ftp://shop.example/", " /button", "/a b", "/a\r\nSet-Cookie: x", "/\u{0}", "/\"onclick=", "/<script>",
            "/é",
            "https:/shop.example", "intent://x#Intent;end;",
        ]
    ) func `that is anything else is refused`(text: String) {
        #expect(LinkTarget(text) == nil)
    }
}
