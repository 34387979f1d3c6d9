import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("A new connection")
struct AdmissionTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `beyond the limit per address is closed at once`() async throws {
        try await withServer { configuration in
            configuration.limits.connectionsPerAddress = 2
        } _: { bench in
            let first = try bench.client()
            let second = try bench.client()
            _ = try await first.exchange(AdmissionTests.request)
            _ = try await second.exchange(AdmissionTests.request)
            let third = try bench.client()
            #expect(try await third.rest().isEmpty)
            #expect(bench.metric("sallyport_http_refused_connections_total", "too_many") == 1)
            first.close()
            await bench.until { bench.server.connectionCount == 1 }
            let fourth = try bench.client()
            #expect(try await fourth.exchange(AdmissionTests.request).status == 200)
        }
    }

    @Test func `beyond the limit of the server is closed at once`() async throws {
        try await withServer { configuration in
            configuration.limits.connections = 1
            configuration.trustedProxies = ["127.0.0.0/8"].compactMap(NetworkPrefix.init)
        } _: { bench in
            let first = try bench.client()
            _ = try await first.exchange(AdmissionTests.request)
            let second = try bench.client()
            #expect(try await second.rest().isEmpty)
        }
    }

    @Test func `from a trusted proxy is not counted by its address`() async throws {
        try await withServer { configuration in
            configuration.limits.connectionsPerAddress = 1
            configuration.trustedProxies = ["127.0.0.0/8"].compactMap(NetworkPrefix.init)
        } _: { bench in
            var clients: [TestClient] = []
            for _ in 0..<5 {
                clients.append(try bench.client())
                #expect(try await clients[clients.count - 1].exchange(AdmissionTests.request).status == 200)
            }
        }
    }

    @Test func `tells the handler whose it is`() async throws {
        try await withServer { bench in
            bench.handler.answer = { .now(.text($0.peer.description)) }
            let forged = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"
            let client = try bench.client()
            #expect(try await client.exchange(forged).body == "127.0.0.1")
        }
    }

    @Test func `from a trusted proxy counts as its client's, request by request`() async throws {
        try await withServer { configuration in
            configuration.trustedProxies = ["127.0.0.1"].compactMap(NetworkPrefix.init)
        } _: { bench in
            bench.handler.answer = { .now(.text($0.peer.description)) }
            let client = try bench.client()
            for address in ["192.0.2.1", "192.0.2.2"] {
                let request = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.0.0.1, \(address)\r\n\r\n"
                #expect(try await client.exchange(request).body == address)
            }
            #expect(try await client.exchange(AdmissionTests.request).body == "127.0.0.1")
        }
    }

    @Test func `on a secure listener is never a proxy's`() async throws {
        try await withServer { configuration in
            configuration.trustedProxies = ["127.0.0.1"].compactMap(NetworkPrefix.init)
        } _: { bench in
            bench.handler.answer = { .now(.text($0.peer.description)) }
            let client = try await bench.secureClient()
            let forged = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"
            #expect(try await client.exchange(forged).body == "127.0.0.1")
        }
    }

    @Test func `gives each request a number of its own`() async throws {
        try await withServer { bench in
            bench.handler.answer = { .now(.text($0.requestID)) }
            let client = try bench.client()
            var numbers: Set<String> = []
            for _ in 0..<10 { numbers.insert(try await client.exchange(AdmissionTests.request).body) }
            #expect(numbers.count == 10)
        }
    }
}
