import HTTP1
import HTTPCore
import Testing

/// What happens to a request whose bytes were changed in transit: anything, as long as it is the same however it is cut.
@Suite("A damaged request")
struct MutationTests {
    static let streams = [
        "POST /a?b=c HTTP/1.1\r\nHost: a:1\r\nCookie: x=y\r\nContent-Length: 4\r\n\r\n1234GET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\n1234GET / HTTP/1.0\r\nHost: b\r\n\r\n",
        "GET http://a:1/b?c=d HTTP/1.1\r\nHost: a:1\r\n\r\nGET https://b HTTP/1.0\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
    ]

    static let bytes: [UInt8] = [0x00, 0x09, 0x0A, 0x0D, 0x20, 0x22, 0x2C, 0x30, 0x31, 0x3A, 0x3F, 0x7F, 0x80, 0xFF]

    private struct Result: Equatable {
        let seen: [Wire.Seen]
        let failure: HTTP1Error?
    }

    private func feed(_ bytes: [UInt8], pieces: Int) -> Result {
        let wire = Wire()
        var start = 0
        while start < bytes.count {
            wire.receive(bytes[start..<min(start + pieces, bytes.count)])
            start += pieces
        }
        return Result(seen: wire.seen, failure: wire.failure)
    }

    @Test(arguments: streams, bytes)
    func `with one byte replaced is judged the same in pieces`(stream: String, byte: UInt8) {
        let original = Array(stream.utf8)
        for position in original.indices {
            var damaged = original
            damaged[position] = byte
            let whole = feed(damaged, pieces: damaged.count)
            #expect(feed(damaged, pieces: 1) == whole, "byte \(position)")
            #expect(feed(damaged, pieces: 5) == whole, "byte \(position)")
        }
    }

    @Test(arguments: streams)
    func `with one byte missing or doubled is judged the same in pieces`(stream: String) {
        let original = Array(stream.utf8)
        for position in original.indices {
            var shorter = original
            shorter.remove(at: position)
            #expect(feed(shorter, pieces: 1) == feed(shorter, pieces: shorter.count), "byte \(position)")
            var longer = original
            longer.insert(original[position], at: position)
            #expect(feed(longer, pieces: 1) == feed(longer, pieces: longer.count), "byte \(position)")
        }
    }

    @Test(arguments: streams)
    func `never yields more requests than it held`(stream: String) {
        let original = Array(stream.utf8)
        for position in original.indices {
            for byte in MutationTests.bytes {
                var damaged = original
                damaged[position] = byte
                #expect(feed(damaged, pieces: damaged.count).seen.count <= 2, "byte \(position)")
            }
        }
    }
}

@Suite("A busy connection")
struct ReuseTests {
    @Test func `storage that was filled once is used again`() {
        let text =
            "POST /path?query HTTP/1.1\r\nHost: a\r\nX-Own: " + String(repeating: "v", count: 3_000)
            + "\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "b", count: 2_000)
        let wire = Wire()
        wire.receive(text.utf8)
        let capacities = [wire.request.head.bytes.capacity, wire.request.body.capacity]
        for _ in 0..<100 { wire.receive(text.utf8) }
        #expect(wire.seen.count == 101)
        #expect([wire.request.head.bytes.capacity, wire.request.body.capacity] == capacities)
    }

    @Test func `a large body gives its storage back with the next request`() {
        var limits = HTTP1Limits()
        limits.bodyBytes = 1_000_000
        let size = 200_000
        let wire = read(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "b", count: size),
            limits: limits
        )
        #expect(wire.request.body.capacity >= size)
        wire.receive("\r\n".utf8)
        #expect(wire.request.body.count == size)
        #expect(wire.request.path == "/")
        wire.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(wire.seen.count == 2)
        #expect(wire.request.body.capacity < size)
    }

    @Test func `a thousand requests in one piece are taken one after the other`() {
        let many = (0..<1_000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        let bytes = Array(many.utf8)
        var parser = HTTP1RequestParser()
        let request = HTTPRequest()
        var start = 0
        var count = 0
        while start < bytes.count {
            let step = parser.feed(bytes.span.extracting(start...), into: request)
            #expect(step.outcome == .complete)
            #expect(request.path == "/\(count)")
            start += step.consumed
            count += 1
        }
        #expect(count == 1_000)
    }
}
