import EventIO
import HTTPCore
import HTTPServer
import TLS
import TestKit
import Testing

@Suite("A request over HTTP/2")
struct StreamTests {
    private static func describe(_ request: HTTPRequest) -> HandlerResult {
        let cookie = request.values(.cookie).joined(separator: "|")
        let body = String(decoding: request.body, as: UTF8.self)
        let host = request.values(.host).joined(separator: "|")
        return .now(.text("\(request.method.text) \(request.path) \(host) [\(cookie)] \(body)"))
    }

    @Test(arguments: Transport.allCases)
    func `is answered with fields in lower case and a date`(transport: Transport) async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = { _ in
                var response = HTTPResponse(.ok, block: FieldBlock([HTTPField(.vary, constant: "Cookie")]))
                response.add(.contentType, constant: "text/plain")
                response.add(.connection, constant: "close")
                response.body = .bytes(Array("hello".utf8))
                return .now(response)
            }
            let client = try await bench.frameClient(transport)
            let scheme = transport == .tls ? "https" : "http"
            try client.send(.headers(1, HTTP2Frame.request().map { $0.0 == ":scheme" ? ($0.0, scheme) : $0 }))
            let answer = try await client.answer(1)
            #expect(answer.status == 200)
            #expect(answer.text == "hello")
            #expect(answer.fields.keys.sorted() == [":status", "content-length", "content-type", "date", "vary"])
            #expect(answer.fields["content-length"] == "5")
            #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
            #expect(client.frames.first?.kind == .settings)
        }
    }

    @Test func `reaches the handler with its host, its content and its cookies as one`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = StreamTests.describe
            let client = try await bench.frameClient()
            let cookies = [("cookie", "a=1"), ("cookie", "b=2"), ("cookie", "c=3")]
            try client.send(
                .headers(1, HTTP2Frame.request("/x?y", method: "POST", cookies), ends: false),
                .data(1, Array("he".utf8), ends: false),
                .data(1, Array("llo".utf8))
            )
            #expect(try await client.answer(1).text == "POST /x a [a=1; b=2; c=3] hello")
        }
    }

    @Test func `may name its host in Host alone or twice the same`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = StreamTests.describe
            let client = try await bench.frameClient()
            let bare = HTTP2Frame.request().filter { $0.0 != ":authority" }
            try client.send(.headers(1, bare + [("host", "b")]))
            #expect(try await client.answer(1).text == "GET / b [] ")
            try client.send(.headers(3, HTTP2Frame.request("/", [("host", "A")])))
            #expect(try await client.answer(3).text == "GET / a [] ")
        }
    }

    @Test func `with HEAD gets the length and no content`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try client.send(.headers(1, HTTP2Frame.request("/1234", method: "HEAD")))
            let answer = try await client.answer(1)
            #expect(answer.fields["content-length"] == "5")
            #expect(answer.body.isEmpty)
        }
    }

    @Test func `that expects a word before its content gets it`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = StreamTests.describe
            let client = try await bench.frameClient()
            try client.send(.headers(1, HTTP2Frame.request(method: "POST", [("expect", "100-continue")]), ends: false))
            try await client.until("a word") { $0.answers[1]?.status == 100 }
            try client.send(.data(1, Array("x".utf8)))
            #expect(try await client.answer(1).status == 200)
        }
    }

    @Test func `does not wait for another one`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                guard request.path == "/slow" else { return .now(.text("fast")) }
                return .later {
                    await gate.pass()
                    return .text("slow")
                }
            }
            let client = try await bench.frameClient()
            let slow = try client.ask("/slow")
            #expect(try await client.get("/fast").text == "fast")
            #expect(!client.ended.contains(slow))
            gate.open()
            #expect(try await client.answer(slow).text == "slow")
        }
    }

    @Test(arguments: Transport.allCases)
    func `and all others of a turn are answered with one call`(transport: Transport) async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient(transport)
            try await client.settle()
            let before = bench.metric("sallyport_http_sends_total")
            let scheme = transport == .tls ? "https" : "http"
            let fields = HTTP2Frame.request().map { $0.0 == ":scheme" ? ($0.0, scheme) : $0 }
            try client.send((0..<20).map { HTTP2Frame.headers(1 + 2 * $0, fields) })
            for index in 0..<20 { #expect(try await client.answer(UInt32(1 + 2 * index)).status == 200) }
            #expect(bench.metric("sallyport_http_sends_total") == before + 1)
        }
    }

    @Test func `of many is answered in as many turns as it takes`() async throws {
        try await withHTTP2(.with(\.requestsPerTurn, 3)) { bench in
            let client = try await bench.frameClient()
            for _ in 0..<100 { try client.ask() }
            for index in 0..<100 { #expect(try await client.answer(UInt32(1 + 2 * index)).status == 200) }
        }
    }

    @Test func `has a response as large as the client's window lets it be`() async throws {
        try await withHTTP2 { bench in
            let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            bench.handler.answer = { _ in .now(HTTPResponse(.ok, body: .bytes(body))) }
            let client = try await bench.frameClient(settings: [(4, 10)])
            client.opensWindows = false
            try client.ask()
            try await client.until("ten bytes") { $0.answers[1]?.body.count == 10 }
            try await client.settle()
            #expect(client.answers[1]?.body.count == 10)
            client.opensWindows = true
            try client.send(.window(1, 1_000_000), .window(0, 1_000_000))
            #expect(try await client.answer(1).body == body)
        }
    }

    @Test func `and its response are told apart by stream`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            let streams = try (0..<50).map { try client.ask("/\($0)") }
            for (index, stream) in streams.enumerated() { #expect(try await client.answer(stream).text == "/\(index)") }
        }
    }

    @Test func `can be had on both versions from one listener`() async throws {
        try await withHTTP2 { bench in
            #expect(try await bench.client().exchange("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n").body == "/1")
            #expect(try await bench.secureClient().exchange("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n").body == "/1")
            let client = try TestClient(bench.reactor, to: bench.address)
            for byte in HTTP2Frame.preface {
                try client.send([byte])
                await bench.turns(1)
            }
            try client.send(HTTP2Frame.settings().bytes)
            #expect(try await FrameClient(client).get("/2").text == "/2")
        }
    }

    @Test func `needs a listener that was told so when there is no TLS`() async throws {
        try await withServer { bench in
            let client = try bench.client()
            try client.send(HTTP2Frame.preface)
            #expect(try await client.rest().hasPrefix("HTTP/1.1 400"))
        }
    }
}
