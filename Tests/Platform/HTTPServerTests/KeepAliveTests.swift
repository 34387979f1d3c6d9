import EventIO
import HTTPCore
import HTTPServer
import Testing

@Suite("A connection that is kept")
struct KeepAliveTests {
    @Test(arguments: Transport.allCases)
    func `answers one request after the other`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            for path in ["/one", "/two", "/three"] {
                let response = try await client.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(response.status == 200)
                #expect(response.body == path)
                #expect(!response.closes)
                #expect(response.values("date").count == 1)
                #expect(response.values("server").isEmpty)
            }
            #expect(bench.server.connectionCount == 1)
            #expect(bench.metric("sallyport_http_responses_total", "2xx") == 3)
        }
    }

    @Test(arguments: Transport.allCases)
    func `costs one read and one write per request`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            _ = try await client.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let reads = bench.metric("sallyport_http_receives_total")
            let writes = bench.metric("sallyport_http_sends_total")
            for _ in 0..<100 { _ = try await client.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            #expect(bench.metric("sallyport_http_receives_total") == reads + 100)
            #expect(bench.metric("sallyport_http_sends_total") == writes + 100)
        }
    }

    @Test(arguments: Transport.allCases)
    func `ends when the client asks for it`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            let response = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(response.closes)
            #expect(try await client.rest().isEmpty)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }
}

@Suite("A client of HTTP/1.0")
struct OldClientTests {
    @Test(arguments: Transport.allCases)
    func `gets one answer and the end of the connection`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            let response = try await client.exchange("GET /one HTTP/1.0\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.body == "/one")
            #expect(response.closes)
            #expect(response.values("content-length") == ["4"])
            #expect(response.values("transfer-encoding").isEmpty)
            #expect(try await client.rest().isEmpty)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test(arguments: Transport.allCases)
    func `keeps the connection where it asks, and is told so`(transport: Transport) async throws {
        try await withServer { bench in
            let client = try await bench.client(transport)
            for path in ["/one", "/two"] {
                let response = try await client.exchange("GET \(path) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(response.body == path)
                #expect(response.values("connection") == ["keep-alive"])
            }
            #expect(try await client.exchange("GET /three HTTP/1.0\r\n\r\n").closes)
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func `is told of the end by the last answer that the limit allows`() async throws {
        try await withServer {
            $0.limits.requestsPerConnection = 2
        } _: { bench in
            let client = try bench.client()
            let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            #expect(try await client.exchange(request).values("connection") == ["keep-alive"])
            #expect(try await client.exchange(request).closes)
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func `is not told to continue`() async throws {
        try await withServer { bench in
            bench.handler.answer = { request in .now(.text(String(decoding: request.body, as: UTF8.self))) }
            let client = try bench.client()
            try client.send("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            await bench.until { bench.metric("sallyport_http_receives_total") > 0 }
            await bench.turns()
            #expect(client.received.isEmpty)
            let response = try await client.exchange("ab")
            #expect(response.status == 200)
            #expect(response.body == "ab")
        }
    }
}

@Suite("A target in absolute-form")
struct AbsoluteFormTests {
    @Test(arguments: Transport.allCases)
    func `is served where its scheme fits`(transport: Transport) async throws {
        try await withServer { bench in
            for (scheme, status) in [("https", 200), ("http", transport == .tls ? 400 : 200)] {
                let client = try await bench.client(transport)
                let response = try await client.exchange("GET \(scheme)://a/one?x HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(response.status == status)
                #expect(response.body == (status == 200 ? "/one" : ""))
            }
        }
    }
}
