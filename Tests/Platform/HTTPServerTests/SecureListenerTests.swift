import EventIO
import HTTPCore
import HTTPServer
import TLS
import TestKit
import Testing

@Suite("A TLS listener")
struct SecureListenerTests {
    @Test func `tells handlers that requests are secure`() async throws {
        try await withServer { bench in
            bench.handler.answer = { .now(.text("\($0.isSecure)")) }
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            for transport in Transport.allCases {
                let client = try await bench.client(transport)
                let isSecure = transport == .tls
                #expect(try await client.exchange(request).body == "\(isSecure)")
            }
        }
    }

    @Test(
        arguments: [
            (["http/1.0"], "http/1.0"), (["http/1.0", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"),
            (["http/1.0", "http/1.1", "h2"], "h2"), ([], nil),
        ] as [([String], String?)]
    )
    func `agrees on the newest of what a client offers, and on HTTP/1.0 where that is all`(
        offer: [String],
        chosen: String?
    ) async throws {
        try await withServer { bench in
            let client = try TestClient(bench.reactor, to: bench.secureAddress)
            try await client.startTLS(TestBench.clientContext(offer))
            #expect(client.session?.negotiatedProtocol == chosen)
            guard chosen != "h2" else { return }
            let response = try await client.exchange("GET /page HTTP/1.0\r\nHost: a\r\n\r\n")
            #expect(response.status == 200 && response.body == "/page" && response.closes)
        }
    }

    @Test func `answers noise with an alert and the end`() async throws {
        try await withServer { bench in
            let client = try TestClient(bench.reactor, to: bench.secureAddress)
            client.sendRaw([UInt8](repeating: 0xFF, count: 300))
            _ = try await client.rest()
            await bench.until { bench.server.connectionCount == 0 }
            #expect(bench.metric("sallyport_http_refused_connections_total", "handshake_failed") == 1)
        }
    }

    @Test func `tells plain HTTP that it speaks HTTPS`() async throws {
        try await withServer { configuration in
            configuration.errorFields = FieldBlock([HTTPField(.cacheControl, constant: "no-store")])
        } _: { bench in
            let client = try TestClient(bench.reactor, to: bench.secureAddress)
            let response = try await client.exchange("GET /secret HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.status == 400)
            #expect(response.body == "This port speaks HTTPS.\n")
            #expect(response.values("cache-control") == ["no-store"])
            #expect(response.closes)
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test func `uses a new certificate for new connections, and old ones go on`() async throws {
        try await withServer { bench in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            let trustsFirst = try TLSContext(trustedPEM: TestCertificates.first)
            let trustsSecond = try TLSContext(trustedPEM: TestCertificates.second)
            let old = try TestClient(bench.reactor, to: bench.secureAddress)
            try await old.startTLS(TestBench.clientContext())
            _ = try await old.exchange(request)
            bench.server.reload(try TestBench.serverContext(TestCertificates.second, TestCertificates.secondKey))
            #expect(try await old.exchange(request).status == 200)
            // The authority is in neither context, so only a pinned certificate could pass; both fail on the chain.
            let new = try TestClient(bench.reactor, to: bench.secureAddress)
            try await new.startTLS(TestBench.clientContext(), serverName: "second.localhost")
            #expect(try await new.exchange(request).status == 200)
            for context in [trustsFirst, trustsSecond] {
                let refused = try TestClient(bench.reactor, to: bench.secureAddress)
                await #expect(throws: TLSError.self) { try await refused.startTLS(context) }
            }
            let stale = try TestClient(bench.reactor, to: bench.secureAddress)
            await #expect(throws: TLSError.self) {
                try await stale.startTLS(TestBench.clientContext(), serverName: "first.localhost")
            }
        }
    }

    @Test func `resumes a session that it has issued a ticket for`() async throws {
        try await withServer { bench in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            let context = try TestBench.clientContext()
            let first = try TestClient(bench.reactor, to: bench.secureAddress)
            try await first.startTLS(context)
            _ = try await first.exchange(request)
            let ticket = try #require(first.session?.resumption)
            let second = try TestClient(bench.reactor, to: bench.secureAddress)
            try await second.startTLS(context, resumption: ticket)
            #expect(second.session?.isResumed == true)
            #expect(try await second.exchange(request).status == 200)
        }
    }

    @Test func `begins only so many handshakes in a turn, and all in the end`() async throws {
        try await withServer { configuration in
            configuration.limits.handshakesPerTurn = 1
        } _: { bench in
            var clients: [TestClient] = []
            for _ in 0..<10 { clients.append(try TestClient(bench.reactor, to: bench.secureAddress)) }
            let context = try TestBench.clientContext()
            for client in clients { try client.beginTLS(context) }
            for client in clients { try await client.finishTLS() }
            for client in clients {
                #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            }
        }
    }

    /// Without the bound all of them would be carried out before the other client's turn.
    @Test func `serves a client beside a storm of handshakes`() async throws {
        try await withServer { configuration in
            configuration.limits.handshakesPerTurn = 2
        } _: { bench in
            let beside = try await bench.secureClient()
            let context = try TestBench.clientContext()
            var storm: [TestClient] = []
            for _ in 0..<60 { storm.append(try TestClient(bench.reactor, to: bench.secureAddress)) }
            await bench.until { bench.server.connectionCount == 61 }
            for client in storm { try client.beginTLS(context) }
            try beside.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await beside.response().status == 200)
            let answered = storm.filter { !$0.received.isEmpty || $0.session?.isEstablished == true }.count
            #expect(answered <= 10, "answered before the client beside: \(answered)")
            for client in storm { try await client.finishTLS() }
        }
    }

    @Test func `needs a context`() async throws {
        try await withLoop { reactor in
            let any = SocketAddress(v4: 0x7F00_0001, port: 0)
            let server = Server(ServerConfiguration(name: "test", listeners: [.init(any, .clear), .init(any, .tls)]))
            let failure = #expect(throws: ServerError.self) {
                try server.attach(to: reactor, handler: TestHandler())
            }
            #expect(failure?.code == .noTLSContext)
            #expect(server.boundAddresses.isEmpty)
            await server.drain()
        }
    }

    @Test func `must be free to listen on`() async throws {
        try await withServer { bench in
            for address in [bench.address, SocketAddress(v4: 0x0808_0808, port: 4000)] {
                let server = Server(ServerConfiguration(name: "test", listeners: [.init(address, .clear)]))
                let failure = #expect(throws: ServerError.self) {
                    try server.attach(to: bench.reactor, handler: TestHandler())
                }
                #expect(failure?.code == .cannotListen)
                await server.drain()
            }
        }
    }

    @Test func `may be shared on purpose`() async throws {
        try await withServer { bench in
            var configuration = ServerConfiguration(name: "next", listeners: [.init(bench.address, .clear)])
            configuration.sharesAddresses = true
            let next = Server(configuration)
            try next.attach(to: bench.reactor, handler: TestHandler())
            await bench.server.drain()
            for _ in 0..<20 {
                let client = try bench.client()
                #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            }
            #expect(next.boundAddresses == [bench.address])
        }
    }
}
