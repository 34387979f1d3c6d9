import HTTP1
import HTTPCore
import Testing

@Suite("A valid request")
struct ParserTests {
    @Test func `a plain request is complete at its empty line`() throws {
        let wire = read("GET /button?a=1 HTTP/1.1\r\nHost: localhost:8443\r\nAccept:*/*\r\nX-OWN: \t b \t\r\n\r\n")
        let seen = try #require(wire.seen.first)
        #expect(seen.method == .get)
        #expect(seen.path == "/button")
        #expect(seen.query == "a=1")
        #expect(seen.fields == ["host: localhost:8443", "accept: */*", "x-own: b"])
        #expect(seen.body.isEmpty)
        #expect(seen.persistence == .usual)
        #expect(seen.announcement == nil)
        #expect(wire.buffer.isEmpty)
        #expect(!wire.parser.isInsideRequest)
    }

    @Test func `a known length announces the content and takes exactly that much`() throws {
        let wire = read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: b\r\n\r\n")
        #expect(wire.seen.map(\.body) == ["abc", ""])
        #expect(wire.seen.map(\.method) == [.post, .get])
        let announcement = try #require(wire.seen.first?.announcement)
        #expect(announcement.length == 3)
        #expect(announcement.expectsContinue == false)
    }

    @Test func `a length of zero is no content`() {
        let wire = read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(wire.seen.map(\.announcement) == [nil])
    }

    @Test func `chunks are put together and their extensions ignored`() throws {
        let wire = read(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "3\r\nabc\r\n00000a;x=\"1\";\ty\r\n0123456789\r\nF\r\nfffffffffffffff\r\n0;last\r\n\r\nG"
        )
        #expect(wire.seen.map(\.body) == ["abc0123456789fffffffffffffff"])
        let announcement = try #require(wire.seen.first?.announcement)
        #expect(announcement.length == nil)
        #expect(announcement.expectsContinue == false)
        #expect(wire.buffer == Array("G".utf8))
        #expect(wire.parser.isInsideRequest)
    }

    @Test func `a client that waits before its content is heard`() {
        let wire = Wire()
        wire.receive("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n".utf8)
        #expect(wire.seen.isEmpty)
        wire.receive("x".utf8)
        #expect(wire.seen.first?.announcement?.expectsContinue == true)
    }

    @Test(arguments: [
        ("close", false), ("keep-alive", true), ("Keep-Alive, CLOSE", false), ("closed", true), ("upgrade", true),
        ("x,close;q", false),
    ])
    func `a client decides whether the connection stays`(value: String, stays: Bool) {
        let wire = read("GET / HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n")
        #expect(wire.seen.map(\.persistence) == [stays ? .usual : .close])
    }

    @Test func `the decision does not carry over to the next request`() {
        let close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let wire = read(close + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(wire.seen.map(\.persistence) == [.close, .usual])
    }

    @Test func `one empty line before each request is skipped`() {
        let request = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(read(request + request).seen.count == 2)
    }

    @Test func `an empty line alone is no request`() {
        let wire = Wire()
        wire.receive("\r\n".utf8)
        #expect(wire.buffer.isEmpty)
        #expect(!wire.parser.isInsideRequest)
        wire.receive("\r".utf8)
        #expect(wire.failure == .badEmptyLine)
    }

    @Test func `names and values may have any character the standard allows`() {
        let wire = read(
            "!#$%&'*+-.^_`|~09azAZ /-._~!$&'()*+,;=:@%41?/|{}[]^` HTTP/1.1\r\nHost: [::1]:80\r\nX-Own: a\tb\u{E9}\r\n\r\n"
        )
        #expect(wire.failure == .badMethod)
        let other = read(
            "!#$%&'*+-.^_`|~ /-._~!$&'()*+,;=:@%41?/|{}[]^`\\ HTTP/1.1\r\nHost: [::1]:80\r\nX-Own: a\tbé\r\n\r\n"
        )
        #expect(other.failure == nil)
        #expect(other.seen.first?.method == .other)
        #expect(other.seen.first?.fields == ["host: [::1]:80", "x-own: a\tbé"])
    }

    @Test func `a later body limit counts for its request only`() {
        let wire = Wire()
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n"
        let first = wire.parser.feed(head.utf8Span.span, into: wire.request)
        guard case .head = first.outcome else {
            Issue.record("the head is complete")
            return
        }
        wire.parser.bodyLimit = 20_000
        wire.receive([UInt8](repeating: 65, count: 20_000))
        #expect(wire.seen.first?.body.utf8.count == 20_000)
        wire.receive(head.utf8)
        #expect(wire.failure == .bodyTooLarge)
    }
}

@Suite("A request of HTTP/1.0")
struct OldVersionTests {
    @Test func `ends its connection and needs no host`() throws {
        let wire = read("GET /healthz HTTP/1.0\r\n\r\n")
        let seen = try #require(wire.seen.first)
        #expect(seen.path == "/healthz")
        #expect(seen.fields.isEmpty)
        #expect(seen.persistence == .close)
        #expect(wire.request.host == nil)
    }

    @Test(arguments: [
        ("keep-alive", HTTP1Persistence.keepAlive), ("Keep-Alive", .keepAlive), ("x, keep-alive", .keepAlive),
        ("close", .close), ("keep-alive, close", .close), ("kept-alive", .close),
    ])
    func `goes on where it asks for that`(value: String, expected: HTTP1Persistence) {
        let wire = read("GET / HTTP/1.0\r\nHost: a\r\nConnection: \(value)\r\n\r\n")
        #expect(wire.seen.map(\.persistence) == [expected])
    }

    @Test func `closes where one of two fields says so`() {
        let wire = read("GET / HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n")
        #expect(wire.seen.map(\.persistence) == [.close])
    }

    @Test func `brings its content by length and is not told to continue`() {
        let wire = read("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
        #expect(wire.seen.map(\.body) == ["abc"])
        #expect(wire.seen.first?.announcement?.length == 3)
        #expect(wire.seen.first?.announcement?.expectsContinue == false)
    }

    @Test func `leaves nothing behind for the next one`() {
        let old = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        #expect(read(old + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").seen.map(\.persistence) == [.keepAlive, .usual])
        #expect(read(old + "GET / HTTP/1.1\r\n\r\n").failure == .badHost)
    }

    @Test(arguments: 2...9)
    func `with a later minor version is one of HTTP/1.1`(minor: Int) {
        let wire = read("GET / HTTP/1.\(minor)\r\nHost: a\r\n\r\n")
        #expect(wire.seen.map(\.persistence) == [.usual])
        #expect(read("GET / HTTP/1.\(minor)\r\n\r\n").failure == .badHost)
    }
}

@Suite("A target in absolute-form")
struct AbsoluteFormTests {
    @Test(arguments: [
        ("http://shop.example/a/b?c=d", "/a/b", "c=d" as String?), ("HTTPS://shop.example/", "/", nil),
        ("http://shop.example", "/", nil), ("https://shop.example?c=d", "/", "c=d"), ("http://shop.example?", "/", ""),
        ("http://Shop.Example//x", "//x", nil),
    ])
    func `is taken apart`(target: String, path: String, query: String?) throws {
        let wire = read("GET \(target) HTTP/1.1\r\nHost: shop.example\r\n\r\n")
        #expect(wire.failure == nil)
        let seen = try #require(wire.seen.first)
        #expect(seen.path == path)
        #expect(seen.query == query)
        #expect(wire.request.hostIs(Array("shop.example".utf8)))
    }

    @Test func `names the host where HTTP/1.0 has no field for it`() {
        let wire = read("GET http://[::1]:80/a HTTP/1.0\r\nAccept: */*\r\n\r\n")
        #expect(wire.seen.map(\.path) == ["/a"])
        #expect(wire.request.host == "[::1]:80")
        #expect(wire.request.hostIs(Array("[::1]:80".utf8)))
    }

    @Test(arguments: [("http", nil as HTTP1Error?), ("https", nil)])
    func `may have either scheme in clear`(scheme: String, failure: HTTP1Error?) {
        #expect(read("GET \(scheme)://a/ HTTP/1.1\r\nHost: a\r\n\r\n").failure == failure)
    }

    @Test(arguments: [("http", HTTP1Error.badTarget as HTTP1Error?), ("https", nil)])
    func `has the scheme of TLS over TLS`(scheme: String, failure: HTTP1Error?) {
        let wire = Wire(isSecure: true)
        wire.receive("GET \(scheme)://a/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(wire.failure == failure)
    }

    @Test func `leaves nothing behind for the next request`() {
        let wire = read("GET http://a/x?y HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /z HTTP/1.0\r\n\r\n")
        #expect(wire.seen.map(\.path) == ["/x", "/z"])
        #expect(wire.seen.map(\.query) == ["y", nil])
        #expect(wire.request.host == nil)
    }
}

@Suite("Trailers")
struct TrailerTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"

    @Test(arguments: [
        "X: y", "X:", "Host: b", "Content-Length: 9", "Transfer-Encoding: chunked", "Connection: close", "Cookie: a=b",
        "X-Forwarded-For: 6.6.6.6\r\nExpect: 100-continue",
    ])
    func `are read and never become fields`(trailers: String) throws {
        let wire = read(TrailerTests.head + trailers + "\r\n\r\nGET /next HTTP/1.1\r\nHost: c\r\n\r\n")
        #expect(wire.failure == nil)
        #expect(wire.seen.map(\.path) == ["/", "/next"])
        let seen = try #require(wire.seen.first)
        #expect(seen.fields == ["host: a", "transfer-encoding: chunked"])
        #expect(seen.body == "x")
        #expect(seen.persistence == .usual)
    }

    @Test func `of exactly the limit are accepted`() {
        let line = "X: " + String(repeating: "y", count: 1_024 - 5) + "\r\n"
        #expect(line.utf8.count == 1_024)
        #expect(read(TrailerTests.head + line + "\r\n").seen.count == 1)
        #expect(read(TrailerTests.head + "Z" + line + "\r\n").failure == .headTooLarge)
    }
}
