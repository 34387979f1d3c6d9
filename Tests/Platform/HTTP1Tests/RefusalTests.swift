import HTTP1
import HTTPCore
import Testing

/// What is refused, with the reason; each line comes first in a connection.
@Suite("A refused request")
struct RefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let error: HTTP1Error
        var limits = HTTP1Limits()

        init(_ text: String, _ error: HTTP1Error, _ change: (inout HTTP1Limits) -> Void = { _ in }) {
            bytes = Array(text.utf8)
            self.error = error
            change(&limits)
        }

        var testDescription: String {
            "\(error): " + String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription
        }
    }

    /// A request with one more field line.
    static func with(_ field: String, then rest: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n" + rest
    }

    static func chunked(_ body: String) -> String {
        with("Transfer-Encoding: chunked", then: body)
    }

    static let requestLines: [Row] = [
        Row("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badEmptyLine),
        Row("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badEmptyLine),
        Row("\r\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badEmptyLine),
        Row("\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .badEmptyLine),
        Row(" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Row("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Row("GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Row("GET\r\nHost: a\r\n\r\n", .badMethod),
        Row("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Row("ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Row("\u{16}\u{3}\u{1}\u{2}\0\u{1}", .badMethod),
        Row("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http:/a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET https:// HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET https://?a HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http://a#/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http://a\\b/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http://ä/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET http://a/# HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET httpx://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET httpss://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET //a/b:c@ HTTP/1.1\r\n\r\n", .badHost),
        Row("GET a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .badTarget),
        Row("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /a?b#c HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /?ä HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /a\0 HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /a\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /?a\"b HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /?<script> HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Row("GET /\r\n", .badTarget),
        Row("GET /\n", .badTarget),
        Row("GET /?\r\n", .badTarget),
        Row("GET / \r\n", .badVersion),
        Row("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / http/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.1\nHost: a\n\n", .badVersion),
        Row("GET / HTTP/1.1\rHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.1\r\rHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/11\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/x.1\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTPS/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / b HTTP/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.x\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.01\r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.0 \r\nHost: a\r\n\r\n", .badVersion),
        Row("GET / HTTP/1.0\nHost: a\n\n", .badVersion),
        Row("GET /\r\n\r\n", .badTarget),
        Row("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        Row("GET / HTTP/0.9\r\n\r\n", .unsupportedVersion),
    ]

    static let fieldLines: [Row] = [
        Row("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedLine),
        Row(with("X: a\r\n b"), .foldedLine),
        Row(with("X: a\r\n\tb"), .foldedLine),
        Row(with("X: a\r\n \r\n"), .foldedLine),
        Row(with("X : a"), .badFieldName),
        Row(with("X\t: a"), .badFieldName),
        Row(with(": a"), .badFieldName),
        Row(with("Xa"), .badFieldName),
        Row(with("X y: a"), .badFieldName),
        Row(with("X\0: a"), .badFieldName),
        Row(with("Xä: a"), .badFieldName),
        Row(with("X(: a"), .badFieldName),
        Row(with("X\ra: a"), .badFieldName),
        Row(with("X: a\0b"), .badFieldValue),
        Row(with("X: a\u{1}b"), .badFieldValue),
        Row(with("X: 0123456789a\u{7F}b0123456789"), .badFieldValue),
        Row(with("X: a\u{B}"), .badFieldValue),
        Row(with("X: a\nY: b"), .badLineEnd),
        Row(with("X: 0123456789abcdef\nY: b"), .badLineEnd),
        Row(with("X: a\rY: b"), .badLineEnd),
        Row(with("X: a\r\r"), .badLineEnd),
        Row("GET / HTTP/1.1\r\n\nHost: a\r\n\r\n", .badLineEnd),
        Row("GET / HTTP/1.1\r\nHost: a\r\n\n", .badLineEnd),
        Row("GET / HTTP/1.1\r\nHost: a\r\n\rX", .badLineEnd),
    ]

    static let hosts: [Row] = [
        Row("GET / HTTP/1.1\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nAccept: a\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost:\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: \t \r\n\r\n", .badHost),
        Row(with("Host: a"), .badHost),
        Row(with("hOST: b"), .badHost),
        Row("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: a?b\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: ä\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: a\\b\r\n\r\n", .badHost),
        Row("GET / HTTP/1.1\r\nHost: <a>\r\n\r\n", .badHost),
        Row("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", .badHost),
        Row("GET https://evil.example/button HTTP/1.1\r\nHost: a\r\n\r\n", .badHost),
        Row("GET http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n", .badHost),
        Row("GET http://a/ HTTP/1.1\r\n\r\n", .badHost),
        Row("GET http://b/ HTTP/1.0\r\nHost: a\r\n\r\n", .badHost),
        Row("GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badHost),
        Row("GET / HTTP/1.0\r\nHost:\r\n\r\n", .badHost),
        Row("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .badHost),
    ]

    static let framing: [Row] = [
        Row(with("Content-Length: 1\r\nTransfer-Encoding: chunked"), .ambiguousLength),
        Row(with("Transfer-Encoding: chunked\r\nContent-Length: 0"), .ambiguousLength),
        Row(with("Content-Length: 1\r\nContent-Length: 1"), .badContentLength),
        Row(with("Content-Length: 1\r\nContent-Length: 2"), .badContentLength),
        Row(with("Content-Length: 1, 1"), .badContentLength),
        Row(with("Content-Length: 1,2"), .badContentLength),
        Row(with("Content-Length:"), .badContentLength),
        Row(with("Content-Length: +1"), .badContentLength),
        Row(with("Content-Length: -1"), .badContentLength),
        Row(with("Content-Length: 01"), .badContentLength),
        Row(with("Content-Length: 0x1"), .badContentLength),
        Row(with("Content-Length: 1 1"), .badContentLength),
        Row(with("Content-Length: 1.0"), .badContentLength),
        Row(with("Content-Length: 1e1"), .badContentLength),
        Row(with("Content-Length: 9223372036854775808"), .badContentLength),
        Row(with("Content-Length: 99999999999999999999999"), .badContentLength),
        Row(with("Content-Length: ١"), .badContentLength),
        Row(with("Transfer-Encoding: gzip"), .badTransferEncoding),
        Row(with("Transfer-Encoding: identity"), .badTransferEncoding),
        Row(with("Transfer-Encoding: gzip, chunked"), .badTransferEncoding),
        Row(with("Transfer-Encoding: chunked, chunked"), .badTransferEncoding),
        Row(with("Transfer-Encoding: chunked, identity"), .badTransferEncoding),
        Row(with("Transfer-Encoding: chunked;q=1"), .badTransferEncoding),
        Row(with("Transfer-Encoding: xchunked"), .badTransferEncoding),
        Row(with("Transfer-Encoding: \"chunked\""), .badTransferEncoding),
        Row(with("Transfer-Encoding: ,chunked"), .badTransferEncoding),
        Row(with("Transfer-Encoding:"), .badTransferEncoding),
        Row(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), .badTransferEncoding),
        Row(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), .badTransferEncoding),
        Row("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .badTransferEncoding),
        Row(
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            .badTransferEncoding
        ),
        Row("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1, 2\r\n\r\n", .badContentLength),
        Row(with("Expect: 200-ok"), .unsupportedExpectation),
        Row(with("Expect:"), .unsupportedExpectation),
    ]

    static let chunks: [Row] = [
        Row(chunked("\r\n"), .badChunk),
        Row(chunked("g\r\n"), .badChunk),
        Row(chunked("-1\r\n"), .badChunk),
        Row(chunked("+1\r\na"), .badChunk),
        Row(chunked("0x1\r\na"), .badChunk),
        Row(chunked(" 1\r\na"), .badChunk),
        Row(chunked("1 \r\na"), .badChunk),
        Row(chunked("1\na\r\n0\r\n\r\n"), .badChunk),
        Row(chunked("1\rXa"), .badChunk),
        Row(chunked(";x\r\n"), .badChunk),
        Row(chunked("1\r\nab"), .badChunk),
        Row(chunked("1\r\na\n"), .badChunk),
        Row(chunked("1\r\na\rX"), .badChunk),
        Row(chunked("1\r\na\r\n\r\n"), .badChunk),
        Row(chunked("0\r\n\n"), .badLineEnd),
        Row(chunked("0\n"), .badChunk),
        Row(chunked("0\r\n\rX"), .badChunk),
        Row(chunked("000000001\r\na"), .badChunk),
        Row(chunked("fffffffff\r\n"), .badChunk),
        Row(chunked("FFFFFFFFFFFFFFFF1\r\n"), .badChunk),
        Row(chunked("1;a\nb\r\n"), .badChunk),
        Row(chunked("1;a\0b\r\n"), .badChunk),
        Row(chunked("1;ä\r\n"), .badChunk),
        Row(chunked("1;" + String(repeating: "x", count: 1_025)), .badChunk),
        Row(chunked("1;12345\r\na\r\n1;678901\r\n"), .badChunk) { $0.chunkExtensionBytes = 10 },
        Row(chunked("0\r\n \r\n"), .foldedLine),
        Row(chunked("0\r\nX: y\r\n z\r\n\r\n"), .foldedLine),
        Row(chunked("0\r\nX: y\n\r\n"), .badLineEnd),
        Row(chunked("0\r\nX: y\r\r\n"), .badLineEnd),
        Row(chunked("0\r\nX: y\r\n\n"), .badLineEnd),
        Row(chunked("0\r\nX: y\r\n\rG"), .badChunk),
        Row(chunked("0\r\nX : y\r\n\r\n"), .badFieldName),
        Row(chunked("0\r\n: y\r\n\r\n"), .badFieldName),
        Row(chunked("0\r\nX\r\n\r\n"), .badFieldName),
        Row(chunked("0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), .badFieldName),
        Row(chunked("0\r\nX: \u{1}\r\n\r\n"), .badFieldValue),
        Row(chunked("0\r\nX: " + String(repeating: "y", count: 1_024)), .headTooLarge),
        Row(chunked("0\r\n" + String(repeating: "X: y\r\n", count: 171)), .headTooLarge),
        Row(chunked("0\r\nX: y\r\nZ"), .headTooLarge) { $0.trailerBytes = 6 },
        Row(chunked("ffffffff\r\n"), .bodyTooLarge),
        Row(chunked("4001\r\n"), .bodyTooLarge),
        Row(chunked("3\r\nabc\r\n3\r\n"), .bodyTooLarge) { $0.bodyBytes = 5 },
    ]

    static let sizes: [Row] = [
        Row(with("Content-Length: 16385", then: "x"), .bodyTooLarge),
        Row(with("Content-Length: 9223372036854775807", then: "x"), .bodyTooLarge),
        Row("GET /" + String(repeating: "a", count: 8_192) + " HTTP/1.1\r\n", .targetTooLong),
        Row("GET /?" + String(repeating: "a", count: 8_191), .targetTooLong),
        Row("GET /" + String(repeating: "a", count: 20_000), .targetTooLong),
        Row("GET http://" + String(repeating: "a", count: 8_186), .targetTooLong),
        Row("GET http://a/" + String(repeating: "a", count: 8_184), .targetTooLong),
        Row("GET http://a?" + String(repeating: "a", count: 8_184), .targetTooLong),
        Row("GET /" + String(repeating: "a", count: 200), .headTooLarge) { $0.headBytes = 100 },
        Row(with("X: " + String(repeating: "a", count: 16_384)), .headTooLarge),
        Row(with(String(repeating: "a", count: 16_384)), .headTooLarge),
        Row(with((0..<64).map { "X: \($0)" }.joined(separator: "\r\n")), .tooManyFields),
        Row("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .headTooLarge) { $0.headBytes = 26 },
        Row("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .headTooLarge) { $0.headBytes = 0 },
        Row("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .tooManyFields) { $0.fieldCount = 0 },
    ]

    static let table = requestLines + fieldLines + hosts + framing + chunks + sizes

    @Test(arguments: table)
    func `has its reason`(row: Row) {
        let wire = Wire(limits: row.limits)
        wire.receive(row.bytes)
        #expect(wire.failure == row.error)
        #expect(wire.seen.isEmpty)
        #expect(wire.parser.persistence == .close)
    }

    @Test(arguments: ["GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "GET https://b HTTP/1.0\r\nHost: a\r\n\r\n"])
    func `does not depend on which host it names second`(text: String) {
        #expect(read(text).failure == .badHost)
    }

    @Test func `every reason occurs in the table`() {
        #expect(Set(RefusalTests.table.map(\.error)) == Set(HTTP1Error.allCases))
    }

    @Test(arguments: [
        (HTTP1Error.badTarget, 400), (.targetTooLong, 414), (.unsupportedVersion, 505), (.headTooLarge, 431),
        (.tooManyFields, 431), (.bodyTooLarge, 413), (.unsupportedExpectation, 417), (.badHost, 400),
        (.ambiguousLength, 400), (.badTransferEncoding, 400),
    ])
    func `has its status`(error: HTTP1Error, code: Int) {
        #expect(error.status.code == code)
    }

    @Test func `stays refused`() {
        let wire = read("GET / HTTP/2.0\r\n\r\n")
        let step = wire.parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8Span.span, into: wire.request)
        #expect(step.outcome == .failed(.unsupportedVersion))
        #expect(step.consumed == 0)
    }

    @Test func `is refused before the rest of it has come`() {
        #expect(read("\u{16}").failure == .badMethod)
        #expect(read("GET httpx").failure == .badTarget)
        #expect(read("GET / HTTP/2").failure == .unsupportedVersion)
        #expect(read("GET / HTTP/1.1\r\nX: a\n").failure == .badLineEnd)
    }
}

@Suite("A request at a limit")
struct LimitTests {
    @Test func `a head of exactly the limit is accepted`() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        var limits = HTTP1Limits()
        limits.headBytes = request.utf8.count
        let wire = read(request + request, limits: limits)
        #expect(wire.seen.count == 2)
        #expect(wire.failure == nil)
    }

    @Test func `a target of exactly the limit is accepted`() {
        let target = "/" + String(repeating: "a", count: 4_000) + "?" + String(repeating: "b", count: 4_190)
        #expect(target.utf8.count == 8_192)
        #expect(read("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").seen.count == 1)
        #expect(read("GET \(target)c HTTP/1.1\r\nHost: a\r\n\r\n").failure == .targetTooLong)
    }

    @Test func `sixty-four fields are accepted`() {
        let fields = (0..<63).map { "X: \($0)\r\n" }.joined()
        let wire = read("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        #expect(wire.seen.count == 1)
        #expect(wire.request.fieldCount == 64)
    }

    @Test(arguments: [true, false])
    func `content of exactly the limit is accepted`(isChunked: Bool) {
        let body = String(repeating: "a", count: 16_384)
        let request =
            isChunked
            ? "Transfer-Encoding: chunked\r\n\r\n4000\r\n\(body)\r\n0\r\n\r\n" : "Content-Length: 16384\r\n\r\n\(body)"
        let wire = read("POST / HTTP/1.1\r\nHost: a\r\n" + request)
        #expect(wire.seen.first?.body.utf8.count == 16_384)
    }

    @Test func `a route that takes nothing refuses what is announced`() {
        let wire = Wire()
        let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n".utf8)
        let step = wire.parser.feed(bytes.span, into: wire.request)
        #expect(step.consumed == bytes.count)
        wire.parser.bodyLimit = 0
        wire.receive([])
        #expect(wire.failure == .bodyTooLarge)
    }

    @Test func `a request keeps nothing of the one before`() {
        let first = "POST /a?b HTTP/1.1\r\nHost: a\r\nCookie: x=y\r\nContent-Length: 2\r\n\r\nzz"
        let wire = read(first + "GET / HTTP/1.1\r\nHost: b\r\n\r\n")
        #expect(wire.seen.last?.description == "get / ? - [\"host: b\"] [] usual")
    }
}
