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
