import Testing

@testable import AmazonPay

@Suite("A signed path")
struct PercentEncodingTests {
    @Test(arguments: [
        ("", "/"), ("//a///b/", "/a/b/"), ("/Az09-_.~", "/Az09-_.~"), ("/%7e%41b", "/~Ab"), ("/a b", "/a%20b"),
        ("/あ", "/%E3%81%82"), ("/%e3%81%82", "/%E3%81%82"), ("/%2F%2f/", "/%2F%2F/"),
        ("/%", "/%25"), ("/%4", "/%254"), ("/%4g", "/%254g"), ("/%g4", "/%25g4"), ("/%%41", "/%25A"),
    ])
    func `has one spelling, in which half an escape is a percent sign`(written: String, canonical: String) {
        #expect(PercentEncoding.path(written) == canonical)
    }

    @Test func `goes before a query of sorted pairs`() {
        #expect(PercentEncoding.query("b=2&a=%7E&a=%&&c") == "a=%25&a=~&b=2&c=")
    }
}
