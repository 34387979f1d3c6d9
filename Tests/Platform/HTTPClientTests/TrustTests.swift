import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import Primitives
import TLS
import TestKit
import Testing

@Suite struct `The certificate of another server` {
    @Test(arguments: ["127.0.0.1", "localhost", "links.localhost"])
    func `is believed when a trusted authority has issued it for that name`(host: String) async throws {
        try await withSecureServer { reactor, server, port, authority in
            let client = CurlClient(reactor, configuration: trusting(authority))
            for _ in 0..<3 {
                let response = try await client.send(OutboundRequest(method: "GET", url: "https://\(host):\(port)/"))
                #expect(response.status == 200)
                #expect(response.body == Array("secure".utf8))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `of an authority that is not trusted ends the exchange with nothing sent`() async throws {
        try await withSecureServer { reactor, _, port, authority in
            let request = OutboundRequest(method: "GET", url: "https://localhost:\(port)/")
            #expect(await failure(CurlClient(reactor), request)?.code == .connectFailed)
            let other = try Authority.make(for: CertificateName.loopback).authority
            try Files.write(authority, other)
            let error = await failure(CurlClient(reactor, configuration: trusting(authority)), request)
            #expect(error?.code == .connectFailed)
            // Whoever tells operators what is wrong goes by these words of the library.
            #expect(error?.detail.contains("peer certificate") == true)
            try Files.remove(authority)
            let missing = await failure(CurlClient(reactor, configuration: trusting(authority)), request)
            #expect(missing?.code == .connectFailed)
        }
    }

    @Test func `for another name ends the exchange with nothing sent`() async throws {
        try await withSecureServer(names: [.host("localhost")]) { reactor, _, port, authority in
            let client = CurlClient(reactor, configuration: trusting(authority))
            let wrong = OutboundRequest(method: "GET", url: "https://127.0.0.1:\(port)/")
            #expect(await failure(client, wrong)?.code == .connectFailed)
            let right = OutboundRequest(method: "GET", url: "https://localhost:\(port)/")
            #expect(await failure(client, right) == nil)
        }
    }

    @Test func `can be looked at, on a fresh connection and only when it is believed`() async throws {
        try await withSecureServer { reactor, _, port, authority in
            let client = CurlClient(reactor, configuration: trusting(authority))
            let url = "https://localhost:\(port)/"
            // A connection that is kept has no certificate to show any more.
            #expect(await failure(client, OutboundRequest(method: "GET", url: url)) == nil)
            for _ in 0..<2 {
                let facts = try CertificateFacts(pem: try #require(await client.certificate(at: url)))
                #expect(facts.names.contains(.host("localhost")))
                #expect(!facts.isAuthority)
            }
            #expect(await CurlClient(reactor).certificate(at: url) == nil)
            #expect(await failure(client, OutboundRequest(method: "GET", url: url)) == nil)
        }
    }

    @Test func `that never comes ends the exchange with nothing sent`() async throws {
        try await withLoop { reactor in
            let server = try ScriptServer(reactor) { $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
            let url = "https://\(try server.address)/"
            let error = await failure(CurlClient(reactor), OutboundRequest(method: "GET", url: url))
            #expect(error?.code == .connectFailed)
            #expect(error?.detail.contains("SSL connect") == true)
        }
    }
}

private enum Authority {
    static func make(
        for names: [CertificateName]
    ) throws -> (authority: [UInt8], certificate: [UInt8], key: Secret<[UInt8]>) {
        let now = SystemClock().now()
        let authority = try DevelopmentAuthority.make(
            name: "Test",
            permitting: CertificateName.loopback,
            now: now,
            random: KernelRandom()
        )
        let leaf = try authority.issue(for: names, now: now, random: KernelRandom())
        return (authority.certificatePEM, leaf.certificatePEM, leaf.keyPEM)
    }
}

private func trusting(_ path: String) -> ClientConfiguration {
    var configuration = ClientConfiguration()
    configuration.trust = .file(path: path)
    return configuration
}

/// Runs a body beside a TLS server; it takes the server, its port and the path of its authority's certificate.
private func withSecureServer(
    names: [CertificateName] = CertificateName.loopback,
    _ body: @escaping @Sendable (Reactor, Server, UInt16, String) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let made = try Authority.make(for: names)
        let path = folder + "/authority.pem"
        try Files.write(path, made.authority)
        let context = try TLSContext(certificatePEM: made.certificate, keyPEM: made.key, alpn: ["http/1.1"])
        try await withLoop { reactor in
            let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .tls)
            let server = Server(ServerConfiguration(name: "test", listeners: [listener]), tls: context)
            try server.attach(to: reactor, handler: Handler())
            try await body(reactor, server, server.boundAddresses[0].port, path)
            await server.drain()
        }
    }
}

private final class Handler: RequestHandler {
    func handle(_ request: HTTPRequest) -> HandlerResult {
        .now(HTTPResponse(.ok, body: .bytes(Array("secure".utf8))))
    }
}
