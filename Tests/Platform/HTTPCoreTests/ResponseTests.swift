import HTTPCore
import Primitives
import Testing

@Suite("A response")
struct ResponseTests {
    private func head(_ response: HTTPResponse) -> String {
        var output: [UInt8] = []
        response.appendHead(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `shared fields come first, then its own, then the length`() {
        let block = FieldBlock([HTTPField(.vary, constant: "Cookie")])
        var response = HTTPResponse(.ok, block: block, body: .bytes([1, 2, 3]))
        response.add(.cacheControl, constant: "no-store")
        #expect(
            head(response) == "HTTP/1.1 200 OK\r\nVary: Cookie\r\nCache-Control: no-store\r\nContent-Length: 3\r\n"
        )
    }

    @Test(arguments: ["a\r\nX: y", "a\n", "\r", "a\0b", "a\tb", "a\u{7F}", "ä", " a", "a "])
    func `no value can end its line`(value: String) throws {
        #expect(HTTPField(.location, value) == nil)
        var response = HTTPResponse(.seeOther)
        let isAdded = response.add(.location, value)
        #expect(!isAdded)
        #expect(response.fields.isEmpty)
    }

    @Test func `a gap in a field takes one word and nothing that could end it`() throws {
        let pattern = try #require(FieldPattern(.contentSecurityPolicy, before: "script-src 'nonce-", after: "'; x"))
        let filled = pattern.field(4) { room in room.append(copying: "aZ-_".utf8Span.span) }
        #expect(filled == HTTPField(.contentSecurityPolicy, "script-src 'nonce-aZ-_'; x"))
        for word in ["a b", "a;b", "a'b", "a\r\n", "a,b", "\0", "a\u{7F}", "é"] {
            let field = pattern.field(word.utf8.count) { room in room.append(copying: word.utf8Span.span) }
            #expect(field == nil, "\(word)")
        }
        #expect(FieldPattern(.location, before: "a\n", after: "") == nil)
        #expect(FieldPattern(.location, before: "", after: "\r") == nil)
    }

    @Test func `every other value goes through`() throws {
        let value = String(decoding: (0x20...0x7E).map { UInt8($0) }, as: UTF8.self).dropFirst()
        #expect(HTTPField(.location, String(value))?.value == String(value))
        #expect(HTTPField(.location, "")?.value == "")
    }

    @Test(arguments: ["content-length", "Transfer-Encoding", "connection", "DATE", "keep-alive", "upgrade"])
    func `what belongs to the server is dropped`(name: String) throws {
        let fieldName = try #require(HTTPFieldName(name))
        let field = try #require(HTTPField(fieldName, "7"))
        #expect(FieldBlock([field]).fields.isEmpty)
        let response = HTTPResponse(.ok, block: FieldBlock([field]), fields: [field])
        #expect(head(response) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
    }

    @Test func `a status without content has no length`() {
        #expect(head(HTTPResponse(.noContent, body: .bytes([1]))) == "HTTP/1.1 204 No Content\r\n")
        #expect(head(HTTPResponse(.notModified)) == "HTTP/1.1 304 Not Modified\r\n")
        #expect(StaticResponse(HTTPResponse(.notModified, body: .bytes([1]))).body.isEmpty)
    }

    @Test func `a static response holds the same bytes`() {
        let response = HTTPResponse(.ok, fields: [MediaType.json.field], body: .bytes(Array("{}".utf8)))
        let fixed = StaticResponse(response)
        #expect(String(decoding: fixed.head, as: UTF8.self) == head(response))
        #expect(fixed.body == Array("{}".utf8))
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `dates are written as the standard wants them, and read`(seconds: Int64, text: String) {
        var output: [UInt8] = []
        HTTPDate.append(WallTime(seconds: seconds), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
        #expect(output.count == HTTPDate.byteCount)
        #expect(HTTPDate.time(of: text) == WallTime(seconds: seconds))
    }

    @Test(arguments: [
        ("Sat, 21 Nov 2026 09:00:00 GMT", 1_795_251_600), ("Saturday, 21-Nov-26 09:00:00 GMT", 1_795_251_600),
        ("Sat Nov 21 09:00:00 2026", 1_795_251_600), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Saturday, 21-Nov-76 09:00:00 GMT", 3_373_174_800),
        ("Monday, 21-Nov-77 09:00:00 GMT", 248_950_800), ("Sunday, 21-Nov-26 09:00:00 GMT", nil),
        ("Sat, 21-Nov-26 09:00:00 GMT", nil), ("Saturday, 21-Nov-26 09:00:00 JST", nil),
        ("Sat Nov 31 09:00:00 2026", nil),
        ("Sat Nov  21 09:00:00 2026", nil), ("Tuesday, 21-Nov-+6 09:00:00 GMT", nil), ("1795251600", nil), ("", nil),
        (" ", nil), ("a b c d", nil), ("a b c d e", nil),
    ])
    func `dates in requests are read in all three forms`(text: String, seconds: Int64?) {
        // 2026-11-21T09:00:00Z.
        let time = HTTPDate.time(ofAnyForm: text, now: WallTime(seconds: 1_795_251_600))
        #expect(time?.seconds == seconds)
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT",
    ])
    func `other dates are not read`(text: String) {
        #expect(HTTPDate.time(of: text) == nil)
    }
}

@Suite("Negotiation")
struct NegotiationTests {
    @Test(arguments: [
        ("ja", "ja"), ("en-US,en;q=0.9,ja;q=0.8", "en"), ("ja-JP,ja;q=0.9,en;q=0.8", "ja"), ("fr, EN;q=0.1", "en"),
        ("fr", nil), ("", nil), ("*", "ja"), ("fr,*;q=0.1", "ja"), ("en;q=0,ja;q=0.001", "ja"), ("en;q=0", nil),
        ("en;q=1.5,ja;q=0.5", "ja"), ("en;q=,ja;q=0.5", "ja"), ("en;x=1", nil), ("en;q=0.5,ja;q=0.5", "en"),
        ("jax", nil), (",,;,-", nil), ("en;q=1.0001", nil),
    ])
    func `the best language is chosen`(field: String, choice: String?) throws {
        let request = try #require(HTTPRequest(.get, "/", fields: [(.acceptLanguage, field)]))
        #expect(AcceptLanguage(request).preferredLanguage(among: ["ja", "en"]) == choice)
    }

    @Test func `without the field there is no preference`() throws {
        let request = try #require(HTTPRequest(.get, "/"))
        #expect(AcceptLanguage(request).preferredLanguage(among: ["ja", "en"]) == nil)
    }

    @Test(arguments: [
        ("\"x\"", true), ("W/\"x\"", true), ("*", true), ("\"a\", \"x\"", true), ("\"a\",W/\"x\" ", true), ("x", false),
        ("\"x", false), ("\"y\"", false), ("", false), ("w/\"x\"", false), ("\"\"", false), ("W/", false),
    ])
    func `an entity tag is compared weakly`(field: String, isMatch: Bool) throws {
        let tag = try #require(EntityTag("x"))
        let request = try #require(HTTPRequest(.get, "/", fields: [(.ifNoneMatch, field)]))
        #expect(tag.matches(ifNoneMatchOf: request) == isMatch)
    }

    @Test func `an entity tag is written with its quotation marks`() throws {
        #expect(EntityTag("x")?.field.value == "\"x\"")
        #expect(EntityTag("x", isWeak: true)?.text == "W/\"x\"")
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a\r") == nil)
    }
}

@Suite("Peer addresses")
struct PeerAddressTests {
    @Test(
        arguments: [
            (0x2001_0DB8_0000_0001, 0x0000_0000_0000_0001, "2001:db8:0:1::1", "2001:db8::/48"),
            (0x2001_0DB8_00FF_0001, 0x0002_0003_0004_0005, "2001:db8:ff:1:2:3:4:5", "2001:db8:ff::/48"),
            (0, 1, "::1", "::/48"), (0, 0, "::", "::/48"),
            (0xFE80_0000_0000_0000, 0x0001_0000_0000_0001, "fe80::1:0:0:1", "fe80::/48"),
            (0x0001_0000_0001_0001, 0x0001_0001_0001_0001, "1:0:1:1:1:1:1:1", "1:0:1::/48"),
            (0x0001_0002_0003_0004, 0x0005_0006_0000_0000, "1:2:3:4:5:6::", "1:2:3::/48"),
        ] as [(UInt64, UInt64, String, String)]
    )
    func `an IPv6 address is written as RFC 5952 says`(high: UInt64, low: UInt64, text: String, network: String) {
        let address = PeerAddress(ipv6High: high, low: low)
        #expect(address.description == text)
        #expect(address.truncated == network)
        #expect(String(ascii: 19) { room in address.appendTruncated(to: &room) } == network)
        #expect(address.bucketKey == high)
        #expect(address.networkKey == high & 0xFFFF_FFFF_FFFF_0000)
    }

    @Test func `an IPv4 address counts by itself`() {
        let address = PeerAddress(ipv4: 0xCB00_7109)
        #expect(address.description == "203.0.113.9")
        #expect(address.truncated == "203.0.113.0/24")
        #expect(String(ascii: 19) { room in address.appendTruncated(to: &room) } == "203.0.113.0/24")
        #expect(address.bucketKey != PeerAddress(ipv4: 0xCB00_710A).bucketKey)
        #expect(address.networkKey == PeerAddress(ipv4: 0xCB00_71FF).networkKey)
        #expect(address.networkKey != PeerAddress(ipv4: 0xCB00_7209).networkKey)
        #expect(address == PeerAddress(ipv6High: 0, low: 0xFFFF_CB00_7109))
    }

    @Test func `no address has a name and a key too`() {
        #expect(PeerAddress.unknown.truncated == "unknown")
        #expect(PeerAddress.unknown.description == "unknown")
        #expect(PeerAddress.unknown.bucketKey == 0)
        #expect(PeerAddress.unknown.networkKey == 0)
    }
}

@Suite("An exchange")
struct ExchangeTests {
    private final class Script: HTTPExchange {
        func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
            guard request.url == "https://a/" else { throw HTTPExchangeError(.connectFailed, detail: "no route") }
            return InboundResponse(status: 200, fields: [("Content-Type", "text/plain")], body: request.body)
        }
    }

    @Test func `a script can stand in for the network`() async throws {
        let response = try await Script().send(OutboundRequest(method: "POST", url: "https://a/", body: [1]))
        #expect(response.first("content-TYPE") == "text/plain")
        #expect(response.first("age") == nil)
        #expect(response.body == [1])
    }

    @Test func `an error shows its code only, and all of it to an operator`() async {
        let error = await #expect(throws: HTTPExchangeError.self) {
            try await Script().send(OutboundRequest(method: "GET", url: "https://b/"))
        }
        #expect(error?.code == .connectFailed)
        #expect("\(error.map(String.init(describing:)) ?? "")" == "connectFailed")
        #expect(error?.debugDescription == "connectFailed: no route")
    }
}

@Suite("Parts of a response")
struct ResponsePartTests {
    @Test func `a block is the same as pairs and as lines`() {
        let block = FieldBlock([HTTPField(.vary, constant: "Cookie")])
        let more = block.adding([HTTPField(.xFrameOptions, constant: "DENY")])
        #expect(more.fields.map(\.name) == [.vary, .xFrameOptions])
        #expect(more.fields.map(\.value) == ["Cookie", "DENY"])
        #expect(String(decoding: more.lines, as: UTF8.self) == "Vary: Cookie\r\nX-Frame-Options: DENY\r\n")
        #expect(block.fields.count == 1)
        #expect(FieldBlock.empty.lines.isEmpty)
    }

    @Test func `each cookie has a field of its own`() throws {
        var response = HTTPResponse(.seeOther)
        response.set(try #require(SetCookie("a", "1", sameSite: .lax, maxAge: 1)))
        response.set(try #require(SetCookie("b", "2", sameSite: .strict, maxAge: 1)))
        #expect(response.fields.map(\.name) == [.setCookie, .setCookie])
        #expect(response.fields.allSatisfy { HTTPField($0.name, $0.value) != nil })
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 1_000, 16_385])
    func `the length is written in full`(count: Int) {
        var output: [UInt8] = []
        HTTPResponse(.ok, body: .bytes([UInt8](repeating: 65, count: count))).appendHead(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n")
    }

    @Test(arguments: [
        MediaType.html, .plainText, .json, .bareJSON, .form, .css, .javaScript, .png, .svg, .icon, .certificate,
        .octets,
    ])
    func `a media type can be sent and recognises itself`(type: MediaType) {
        #expect(HTTPField(.contentType, type.text) == type.field)
        let isItself = type.matches(type.text.utf8Span.span)
        let isShouted = type.matches(type.essence.uppercased().utf8Span.span)
        let isNothing = type.matches("".utf8Span.span)
        #expect(isItself && isShouted && !isNothing)
    }

    @Test(arguments: 100..<600)
    func `every code has a line that ends`(code: Int) throws {
        var line: [UInt8] = []
        try #require(HTTPStatus(code)).appendLine(to: &line)
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(code) "))
        #expect(text.hasSuffix("\r\n"))
        #expect(line.filter { $0 < 0x20 }.count == 2)
    }

    @Test func `a constant that could end its line stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = HTTPField(.location, constant: "a\r\nb")
        }
    }
}

@Suite("A request that is put together")
struct AssemblyTests {
    @Test func `fields can be appended one by one, as HTTP/2 does`() throws {
        let request = HTTPRequest()
        request.head.method = .post
        let steps = [
            request.head.appendTarget("/a?b=1".utf8Span.span),
            request.head.appendField(name: "host".utf8Span.span, value: "a".utf8Span.span),
            request.head.appendField(name: "cookie".utf8Span.span, value: "x=1".utf8Span.span),
            request.head.appendField(name: "cookie".utf8Span.span, value: "y=2".utf8Span.span),
            request.head.appendField(name: "x-own".utf8Span.span, value: "v".utf8Span.span),
        ]
        #expect(steps.allSatisfy { $0 })
        #expect(request.path == "/a")
        #expect(request.query == "b=1")
        #expect(request.values(.cookie) == ["x=1", "y=2"])
        #expect(try HTTPCookies(request).value("y") == "2")
        #expect(HTTPFieldName("X-OWN").map { request.first($0) } == "v")
    }

    @Test(arguments: [("", "v"), ("a b", "v"), (":path", "v"), ("a", "b\r\n"), ("a", "\0"), ("ä", "v")])
    func `a bad field is refused and leaves nothing`(name: String, value: String) {
        let request = HTTPRequest()
        let isAdded = request.head.appendField(name: name.utf8Span.span, value: value.utf8Span.span)
        #expect(!isAdded)
        #expect(request.fieldCount == 0)
        #expect(request.head.bytes.isEmpty)
    }

    @Test func `a parameter of a query is read through the request`() throws {
        let request = try #require(HTTPRequest(.get, "/a?x=%41&y=%zz"))
        #expect(throws: HTTPParameterError.malformed) { try request.queryParameters() }
        let good = try #require(HTTPRequest(.get, "/a?x=%41"))
        #expect(try good.queryParameters().value("x") == "A")
        #expect(try #require(HTTPRequest(.get, "/a")).queryParameters().count == 0)
    }
}
