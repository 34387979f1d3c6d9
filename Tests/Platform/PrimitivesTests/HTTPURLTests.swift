import Primitives
import Testing

@Suite("An http URL")
struct HTTPURLTests {
    @Test(
        arguments: [
            ("https://shop.example", "https://shop.example", ""),
            ("https://shop.example:8443/a?b#c", "https://shop.example:8443", "/a?b#c"),
            ("http://[::1]:80/", "http://[::1]:80", "/"), ("https://a?b@c", "https://a", "?b@c"),
            ("https://a#b/c", "https://a", "#b/c"), ("https://A.Example/", "https://a.example", "/"),
        ]
    )
    func `is an origin and the rest`(text: String, origin: String, rest: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.origin == origin)
        #expect(url.rest == rest)
    }

    @Test(
        arguments: [
            "", "https://", "https:///a", "HTTPS://a/", "ftp://a/", "//a/", "https://user@a/", "https://a:b@c/",
            "https://a:/", "https://a:0/", "https://a:65536/", "https://a:+1/", "https://a:08443/", "https://.a/",
            "https://a..b/", "https://./", "https://a\\b/", "https://a b/", "https://a/\n", "https://\u{e4}.test/",
            "https://[::1/", "https://[::1]x/", "https://[fe80::1%25eth0]/", "https://a%2eb/", "https://a:1:2/",
            "https://256.0.0.1/", "https://1.2.3.4.5/", "https://shop.1/", "https://127.0.0.1.0x/", "https://[]/",
            "https://0x-0/", "https://127.0x-0/", "https://0-0/",
        ]
    )
    func `is no other text`(text: String) {
        #expect(HTTPURL(text) == nil)
    }

    @Test(
        arguments: [
            "[::-0]", "[1:2:3:4:5:6:7:-0]", "[::+1]", "[::127.0.0.010]",
            "[::127.0.0.0x1]", "[::127.0.1]", "[::127.0.0.256]",
        ]
    )
    func `has hexadecimal groups and decimal octets between brackets`(host: String) {
        #expect(HTTPHost(host) == nil)
        #expect(HTTPURL("https://\(host)/") == nil)
    }

    @Test(
        arguments: [
            "localhost", "shop.localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "127.1", "0x7f000001",
            "2130706433", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
        ]
    )
    func `of this machine`(host: String) throws {
        #expect(try #require(HTTPHost(host)).isLoopback)
    }

    @Test(
        arguments: [
            "127.shop.example", "127.0.0.1.shop.example", "localhost.shop.example", "notlocalhost", "128.0.0.1",
            "10.0.0.1", "[::2]", "[::2:0:0]", "[::ffff:0:1]", "[2001:db8::1]",
        ]
    )
    func `of another machine`(host: String) throws {
        #expect(try !#require(HTTPHost(host)).isLoopback)
    }

    @Test(
        arguments: [
            ("https://shop.example/", true), ("https://Shop.example/", false), ("https://shop.example./", false),
            ("https://shop_1.example/", false), ("https://127.0.0.1/", true), ("https://[::1]/", true),
        ]
    )
    func `is plain in lower case, without an underscore or a dot at the end`(text: String, isPlain: Bool) throws {
        #expect(try #require(HTTPURL(text)).isPlain == isPlain)
    }
}
