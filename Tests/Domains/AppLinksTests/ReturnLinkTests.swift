import AppLinks
import Testing

@Suite("The return link")
struct ReturnLinkTests {
    private static let returnTicket = "swc_" + String(repeating: "c", count: 64)
    private static let launchTicket = "swa_" + String(repeating: "A", count: 62) + "-_"
    private static let session = "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"

    private func link(
        base: String = "https://links.example.com",
        returnTicket: String = returnTicket,
        launchTicket: String = launchTicket,
        accessToken: String = "sealed",
        orderReferenceID: String = session
    ) -> ReturnLink? {
        ReturnLink(
            base: base,
            returnTicket: returnTicket,
            launchTicket: launchTicket,
            accessToken: accessToken,
            orderReferenceID: orderReferenceID
        )
    }

    @Test func `has exactly four parameters in the sample's order`() throws {
        let text = try #require(link()).text
        #expect(
            text == "https://links.example.com/index.html?secureWebviewSessionId=\(ReturnLinkTests.returnTicket)"
                + "&old_secureWebviewSessionId=\(ReturnLinkTests.launchTicket)&accessToken=sealed"
                + "&orderReferenceId=\(ReturnLinkTests.session)"
        )
    }

    @Test func `keeps the vertical bar of a provider's token`() throws {
        #expect(try #require(link(accessToken: "Atza|IwEB-x_y.z~1")).text.contains("&accessToken=Atza|IwEB-x_y.z~1&"))
    }

    @Test(arguments: ["sealed", "Atza|IwEB_abc"])
    func `is read alike by both samples' parsers`(token: String) throws {
        let text = try #require(link(accessToken: token)).text
        let wanted = [
            "secureWebviewSessionId": ReturnLinkTests.returnTicket,
            "old_secureWebviewSessionId": ReturnLinkTests.launchTicket,
            "accessToken": token, "orderReferenceId": ReturnLinkTests.session,
        ]
        #expect(SampleParsers.iOS(text) == wanted)
        #expect(SampleParsers.android(text) == wanted)
    }

    @Test func `is needed in this form: the samples' parsers crash on others`() {
        #expect(SampleParsers.iOS("https://h/index.html?accessToken") == nil)
        #expect(SampleParsers.android("https://h/index.html?accessToken=") == nil)
        #expect(SampleParsers.android("https://h/index.html?a=b=c") == ["a": "b"])
        #expect(SampleParsers.iOS("https://h/index.html?a=%7C") == ["a": "|"])
        #expect(SampleParsers.android("https://h/index.html?a=%7C") == ["a": "%7C"])
    }

    @Test(arguments: [
        "", "sealed=", "a&b", "a b", "a%7Cb", "a'b", "a\"b", "a\\b", "</script>", "a\nb", "a\u{0}", "あ", "a#b", "a?b",
        "a+b",
        String(repeating: "a", count: 2049),
    ])
    func `is not built from an odd token`(token: String) {
        #expect(link(accessToken: token) == nil)
    }

    @Test(arguments: [
        "", "swc_", returnTicket + "c", String(returnTicket.dropLast()), launchTicket,
        "swc_" + String(repeating: "c", count: 63) + "=", "swc_" + String(repeating: "c", count: 63) + "'",
        "SWC_" + String(repeating: "c", count: 64), " " + returnTicket,
    ])
    func `is not built from another return ticket`(ticket: String) {
        #expect(link(returnTicket: ticket) == nil)
    }

    @Test(arguments: ["", "swa_", returnTicket, launchTicket + "A", "swa_" + String(repeating: "é", count: 32)])
    func `is not built from another launch ticket`(ticket: String) {
        #expect(link(launchTicket: ticket) == nil)
    }

    @Test(arguments: ["", "a=b", "a&b", "a_b", String(repeating: "a", count: 65), "a/b", "a'"])
    func `is not built from an odd order reference`(reference: String) {
        #expect(link(orderReferenceID: reference) == nil)
    }

    @Test(arguments: [
        "", "links.example.com", "//links.example.com", "ftp://links.example.com", "https://", "https://a/b",
        "https://a@b",
        "https://a?b", "https://a b", "https://a\\b", "javascript://a", "https://ä.example",
    ])
    func `is not built on an odd base`(base: String) {
        #expect(link(base: base) == nil)
    }

    @Test(arguments: ["https://links.localhost:8443", "http://127.0.0.1:8080", "https://[::1]:8443"])
    func `may lead to a development host`(base: String) throws {
        #expect(try #require(link(base: base)).text.hasPrefix(base + "/index.html?"))
    }
}

/// How the vendor's sample apps take a link apart; `nil` where they crash.
enum SampleParsers {
    /// Splits at `&` and `=`, takes the element after `=`, decodes percent signs.
    static func iOS(_ url: String) -> [String: String]? {
        guard let query = url.split(separator: "?").dropFirst().first else { return nil }
        var output: [String: String] = [:]
        for item in query.split(separator: "&") {
            let sides = item.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count > 1 else { return nil }
            output[String(sides[0])] = sides[1].removingPercent
        }
        return output
    }

    /// Splits at `&` and `=` as Java does, which drops empty parts at the end; decodes nothing.
    static func android(_ url: String) -> [String: String]? {
        guard let query = url.split(separator: "?").dropFirst().first else { return nil }
        var output: [String: String] = [:]
        for item in query.split(separator: "&", omittingEmptySubsequences: false) {
            var sides = item.split(separator: "=", omittingEmptySubsequences: false)
            while sides.last?.isEmpty == true { sides.removeLast() }
            guard sides.count > 1 else { return nil }
            output[String(sides[0])] = String(sides[1])
        }
        return output
    }
}

extension Substring {
    /// The text behind percent-encoding.
    fileprivate var removingPercent: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
