import EventIO
import HTTPCore
import HTTPServer
import Testing

@Suite("A request with content")
struct ContentTests {
    private static func echo(_ request: HTTPRequest) -> HandlerResult {
        .now(.text("\(request.path) \(String(decoding: request.body, as: UTF8.self))"))
    }

    @Test(arguments: [
        ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "/a hello"),
        ("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "/b "),
        (
            "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
            "/c hello"
        ),
    ])
    func `reaches the handler whole, in one piece or byte by byte`(request: String, answer: String) async throws {
        try await withServer { bench in
            bench.handler.answer = ContentTests.echo
            let client = try bench.client()
            #expect(try await client.exchange(request).body == answer)
            for byte in request.utf8 {
                try client.send([byte])
                await bench.turns(1)
            }
            #expect(try await client.response().body == answer)
            #expect(try await client.exchange(request + request).body == answer)
            #expect(try await client.response().body == answer)
        }
    }

    @Test(arguments: Transport.allCases)
    func `is invited when the client waits for it`(transport: Transport) async throws {
        try await withServer { bench in
            bench.handler.answer = ContentTests.echo
            let client = try await bench.client(transport)
            let head = "POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
            let invitation = try await client.exchange(head)
            #expect(invitation.head == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("ok")
            #expect(try await client.response().body == "/e ok")
            #expect(try await client.exchange(head + "ok").body == "/e ok", "no invitation for what has come")
        }
    }

    @Test func `is not invited when it is too large`() async throws {
        try await withServer { bench in
            let client = try bench.client()
            let response = try await client.exchange(
                "POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 16385\r\n\r\n"
            )
            #expect(response.status == 413)
            #expect(response.closes)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func `is refused beyond the limit, and the client reads the refusal`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            let content = String(repeating: "x", count: 200_000)
            try client.send("POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n" + content)
            let response = try await client.response()
            #expect(response.status == 413)
            #expect(response.closes)
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil, "the refusal is not lost to a reset")
        }
    }

    @Test(
        arguments: [
            ("Content-Length: 16385\r\n\r\n", 413), ("Transfer-Encoding: chunked\r\n\r\nx\r\n", 400),
            ("Transfer-Encoding: chunked\r\n\r\nfffff\r\n", 413),
        ]
    )
    func `that is refused is answered by the handler where that wants to`(rest: String, status: Int) async throws {
        try await withServer { bench in
            bench.handler.refusal = { request, status in
                request.pathIs("/own") ? .text("\(request.method.text) \(request.requestID.utf8.count)", status) : nil
            }
            for path in ["/own", "/others"] {
                let client = try bench.client()
                let response = try await client.exchange("POST \(path) HTTP/1.1\r\nHost: a\r\n\(rest)")
                #expect(response.status == status)
                #expect(response.body == (path == "/own" ? "POST 16" : ""))
                #expect(response.closes)
            }
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test func `of a head that cannot be read is nothing that the handler could answer`() async throws {
        try await withServer { bench in
            bench.handler.refusal = { _, status in .text("own", status) }
            let client = try bench.client()
            let first = "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok"
            #expect(try await client.exchange(first).status == 200)
            let response = try await client.exchange("POST /e HTTP/1.1\r\nHost a\r\n\r\n")
            #expect(response.status == 400)
            #expect(response.body.isEmpty)
        }
    }

    @Test(arguments: [(16_384, 200), (16_385, 413)])
    func `in chunks is measured as it comes`(count: Int, status: Int) async throws {
        try await withServer { bench in
            let client = try bench.client()
            let size = String(count, radix: 16)
            let content = "\(size)\r\n" + String(repeating: "x", count: count) + "\r\n0\r\n\r\n"
            try client.send("POST /e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + content)
            #expect(try await client.response().status == status)
        }
    }

    @Test func `may be as large as its route says`() async throws {
        try await withServer { bench in
            bench.handler.limit = { $0.pathIs("/large") ? 100_000 : $0.pathIs("/small") ? 1 : nil }
            bench.handler.answer = { .now(.text("\($0.body.count)")) }
            let content = String(repeating: "x", count: 100_000)
            let client = try bench.client()
            let head = "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
            #expect(try await client.exchange(head + content).body == "100000")
            let small = try await client.exchange("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxx")
            #expect(small.status == 413)
        }
    }
}
