import HTTPCore
import Testing

@Suite("A host")
struct AuthorityTests {
    private func isSame(_ one: String, _ other: String, isSecure: Bool = true) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        return one.span.isSameHost(as: other.span, isSecure: isSecure)
    }

    private func isSameOrigin(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        return one.span.isSameOrigin(as: other.span)
    }

    @Test(arguments: [
        ("pay.example", "pay.example"), ("pay.example", "PAY.example"), ("pay.example:443", "pay.example"),
        ("pay.example.", "pay.example"), ("Pay.Example.:443", "pay.example"), ("pay.example:", "pay.example"),
        ("pay.example.:8443", "pay.example:8443"), ("[::1]:443", "[::1]"), ("[2001:DB8::1]", "[2001:db8::1]:443"),
    ])
    func `is the same server in each spelling, whichever is ours`(one: String, other: String) {
        #expect(isSame(one, other) && isSame(other, one))
        #expect(isSame(one, other, isSecure: false) && isSame(other, one, isSecure: false))
        #expect(isSameOrigin("https://" + one, "https://" + other))
        #expect(isSameOrigin("HTTPS://" + other, "https://" + one))
    }

    @Test(arguments: [
        ("pay.example", "pay.example:8443"), ("pay.example", "pay.example:44"), ("pay.example", "pay.example:443x"),
        ("pay.example", "pay.example.."), ("pay.example", "pay.exampl"), ("pay.example", "a.pay.example"),
        ("pay.example", "pay.example.evil"), ("pay.example", "pay.example:443:443"),
        ("pay.example", "pay.example:+443"),
        ("pay.example", ""), ("pay.example", ":443"), ("pay.example", "."), ("[::1]", "[::1"), ("[::1]", "[::1]x"),
        ("[::1]", "::1"), ("pay.example:8443", "pay.example:443"), ("pay.example", "pay.example:65979"),
        ("pay.example", "pay.example@evil"), ("pay.example", "pay.example "), ("pay.example", "pay.ex\u{212A}mple"),
    ])
    func `is no other server`(one: String, other: String) {
        for isSecure in [true, false] {
            #expect(!isSame(one, other, isSecure: isSecure) && !isSame(other, one, isSecure: isSecure))
        }
        #expect(!isSameOrigin("https://" + one, "https://" + other))
    }

    @Test func `has another port of its own in clear`() {
        #expect(isSame("pay.example:80", "pay.example", isSecure: false))
        #expect(!isSame("pay.example:80", "pay.example"))
        #expect(isSameOrigin("http://pay.example:80", "http://pay.example"))
        #expect(!isSameOrigin("http://pay.example:443", "http://pay.example"))
        #expect(!isSameOrigin("https://pay.example:80", "https://pay.example"))
        #expect(!isSameOrigin("http://pay.example", "https://pay.example"))
        #expect(!isSameOrigin("null", "https://pay.example") && !isSameOrigin("", "https://pay.example"))
    }

    @Test(arguments: [
        ("pay.example.", true), ("pay.example.:443", true), ("[::1]", false), ("pay.example:443", false), ("", false),
    ])
    func `has the dot of the root or not`(host: String, hasDot: Bool) {
        let bytes = Array(host.utf8)
        #expect(bytes.span.hasRootDot == hasDot)
    }
}
