import Notifications
import Testing

@Suite("The address of a certificate")
struct CertificateURLTests {
    private let service = "https://sns.us-east-1.amazonaws.com"

    @Test(arguments: [
        "/.pem", "/a/b.pem", "/a%2eb.pem", "/%2e%2e/x.pem", "/x.pem/", "/x.pem;a", "/x.PEM", "//x.pem", "/x.pem\u{0}",
        "/x y.pem", "/x.pem\n", "/é.pem", "", "/", ":/x.pem", ":44/x.pem", ":0443/x.pem", ":443:443/x.pem", "\t/x.pem",
        "/" + String(repeating: "a", count: 300) + ".pem",
    ])
    func `has one plain segment that ends in pem`(rest: String) {
        #expect(!CertificateURLRule().allows(service + rest))
    }

    @Test(arguments: [
        "https://sns.ab.amazonaws.com/x.pem", "https://sns..amazonaws.com/x.pem", "https://sns.amazonaws.com/x.pem",
        "https://sns.us_east.amazonaws.com/x.pem", "https://sns.us.east.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com.cn.cn/x.pem", "https://sns.us-east-1.amazonaws.de/x.pem",
        "https://xsns.us-east-1.amazonaws.com/x.pem", "HTTPS://sns.us-east-1.amazonaws.com/x.pem",
        "https:/sns.us-east-1.amazonaws.com/x.pem", "https:///x.pem", " https://sns.us-east-1.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com%00/x.pem", "https://[::1]/x.pem", "https://127.0.0.1/x.pem",
        "https://sns.us-east-1.amazonaws.com" + String(repeating: "/", count: 4096) + "x.pem",
    ])
    func `is below the service's own name`(url: String) {
        #expect(!CertificateURLRule().allows(url))
    }

    @Test func `has one spelling, and tells the host that the certificate may name`() throws {
        let one = try #require(CertificateURLRule().certificateURL("https://SNS.Us-East-1.AmazonAWS.com:443/Ab.pem"))
        let two = try #require(CertificateURLRule().certificateURL("https://sns.us-east-1.amazonaws.com/Ab.pem"))
        #expect(one == two)
        #expect(one.text == "https://sns.us-east-1.amazonaws.com/Ab.pem")
        #expect(one.serviceHost == "sns.us-east-1.amazonaws.com")
    }

    @Test(arguments: [
        ("https://localhost:9000/x.pem", true), ("http://localhost:9000/x.pem", true),
        ("https://LOCALHOST:9000/x.pem", true), ("https://localhost/x.pem", false),
        ("https://localhost:9001/x.pem", false), ("http://sns.us-east-1.amazonaws.com/x.pem", false),
        ("https://sns.example/x.pem", true), ("https://sns.example:443/x.pem", true),
        ("http://sns.example/x.pem", false), ("https://a@localhost:9000/x.pem", false),
        ("https://sns.us-east-1.amazonaws.com/x.pem", true), ("http://[::1]:80/x.pem", true),
    ])
    func `may be at an extra authority, in clear on this machine only`(url: String, isAllowed: Bool) {
        let rule = CertificateURLRule(extraAuthorities: ["localhost:9000", "SNS.example:443", "[::1]:80"])
        #expect(rule.allows(url) == isAllowed)
    }

    @Test func `at an extra authority lends the certificate no name`() throws {
        let rule = CertificateURLRule(extraAuthorities: ["localhost:9000"])
        let url = try #require(rule.certificateURL("https://localhost:9000/x.pem"))
        #expect(url.serviceHost == nil)
    }

    @Test(arguments: [
        ("https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:x:0:a&Token=0a", true),
        ("https://sns.us-east-1.amazonaws.com:443/?A=%20", true),
        ("https://sns.us-east-1.amazonaws.com/", false), ("https://sns.us-east-1.amazonaws.com/?", false),
        ("https://sns.us-east-1.amazonaws.com?A=1", false), ("https://sns.us-east-1.amazonaws.com/x?A=1", false),
        ("https://sns.us-east-1.amazonaws.com/?A=1#x", false), ("https://sns.us-east-1.amazonaws.com/?A= 1", false),
        ("http://sns.us-east-1.amazonaws.com/?A=1", false), ("https://a@sns.us-east-1.amazonaws.com/?A=1", false),
        ("https://evil.example/?A=https://sns.us-east-1.amazonaws.com/", false), ("", false),
        ("https://sns.us-east-1.amazonaws.com/?A=\r\nX: y", false),
    ])
    func `of a confirmation has the same hosts and a query`(url: String, isAllowed: Bool) {
        #expect(CertificateURLRule().allowsConfirmation(url) == isAllowed)
    }
}
