import HTTP1
import HTTPCore
import Testing

/// However the network cuts the bytes, the requests are the same.
@Suite("Requests in pieces")
struct SplitTests {
    static let streams: [String] = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /button?secureWebviewSessionId=swa_x&b=%41 HTTP/1.1\r\nHost: localhost:8443\r\nAccept: */*\r\n\r\n",
        "GET /a? HTTP/1.1\r\nHost:a\r\nX-Own:\r\nX-OWN: \t \r\nCookie: a=b; c=\"d\"\r\nConnection: close\r\n\r\n",
        "\r\nPOST /purchase HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\na=1&b=2",
        "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n\r\n",
        "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a\r\n\r\n5\r\nhello\r\n1;x=y\r\n \r\n00005\r\nworld\r\n0\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: b\r\n\r\n",
        "GET /a?b HTTP/1.0\r\nConnection: keep-alive\r\n\r\nPOST / HTTP/1.0\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy",
        "GET HTTP://a:1/b/c?d=//e HTTP/1.1\r\nHost: A:1\r\n\r\nGET https://a HTTP/1.1\r\nHost: a\r\n\r\nGET http://a?b HTTP/1.0\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\nHost:\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nPOST /3 HTTP/1.1\r\nHost: a\r\n"
            + "Content-Length: 1\r\n\r\nxHEAD /4 HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    @Test(arguments: streams)
    func `one cut at any place changes nothing`(stream: String) {
        let bytes = Array(stream.utf8)
        let whole = read(stream)
        #expect(whole.failure == nil)
        #expect(!whole.seen.isEmpty)
        for cut in 0...bytes.count {
            let wire = Wire()
            wire.receive(bytes[..<cut])
            wire.receive(bytes[cut...])
            #expect(wire.seen == whole.seen, "cut at \(cut)")
            #expect(wire.failure == nil)
            #expect(wire.buffer.isEmpty)
        }
    }

    @Test(arguments: streams)
    func `two cuts at any places change nothing`(stream: String) {
        let bytes = Array(stream.utf8)
        let whole = read(stream).seen
        var differences = 0
        for first in 0..<bytes.count {
            for second in first..<min(bytes.count, first + 12) {
                let wire = Wire()
                wire.receive(bytes[..<first])
                wire.receive(bytes[first..<second])
                wire.receive(bytes[second...])
                if wire.seen != whole { differences += 1 }
            }
        }
        #expect(differences == 0)
    }

    @Test(arguments: streams)
    func `bytes one by one change nothing`(stream: String) {
        let wire = Wire()
        for byte in stream.utf8 { wire.receive([byte]) }
        #expect(wire.seen == read(stream).seen)
        #expect(wire.failure == nil)
    }

    @Test(arguments: streams)
    func `no request is complete before its last byte`(stream: String) {
        let bytes = Array(stream.utf8)
        let count = read(stream).seen.count
        let wire = Wire()
        wire.receive(bytes.dropLast())
        #expect(wire.seen.count == count - 1)
        #expect(wire.parser.isInsideRequest)
    }

    @Test(arguments: RefusalTests.table)
    func `a refusal does not depend on the pieces`(row: RefusalTests.Row) {
        let wire = Wire(limits: row.limits)
        for byte in row.bytes { wire.receive([byte]) }
        #expect(wire.failure == row.error)
    }
}
