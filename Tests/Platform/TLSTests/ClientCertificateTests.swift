import Primitives
import TLS
import TestKit
import Testing

@Suite("Certificates of clients")
struct ClientCertificateTests {
    private func server(_ authority: [UInt8], isRequired: Bool = false) throws -> TLSContext {
        try TLSContext(
            certificatePEM: TestCertificates.first,
            keyPEM: Secret(TestCertificates.firstKey),
            alpn: ["http/1.1"],
            clients: TLSClientTrust(authoritiesPEM: authority, isRequired: isRequired)
        )
    }

    private func client(_ identity: TLSIdentity?) throws -> TLSContext {
        try TLSContext(trustedPEM: TestCertificates.authority, identity: identity, alpn: ["http/1.1"])
    }

    private let member = TLSIdentity(
        certificatePEM: PassCertificates.member,
        keyPEM: Secret(PassCertificates.memberKey)
    )
    private let second = TLSIdentity(
        certificatePEM: TestCertificates.second,
        keyPEM: Secret(TestCertificates.secondKey)
    )

    @Test func `a server that asks sees whose certificate it is`() throws {
        let pair = try SessionPair(
            server: server(PassCertificates.root + PassCertificates.intermediate),
            client: client(member)
        )
        #expect(pair.server.clientCertificate == nil)
        try pair.connect()
        let shown = try #require(pair.server.clientCertificate)
        #expect(shown.complaint == nil)
        #expect(shown.values("UID") == ["pass.com.example.sallyport.member"])
        #expect(shown.values("OU") == ["SP4TEST9Z0"])
        #expect(shown.values("L").isEmpty)
        #expect(pair.client.clientCertificate == nil)
    }

    @Test func `a certificate of a foreign authority is shown with the reason, and the handshake goes on`() throws {
        let pair = try SessionPair(server: server(PassCertificates.root), client: client(second))
        try pair.connect()
        let shown = try #require(pair.server.clientCertificate)
        #expect(shown.complaint?.contains("certificate") == true)
        #expect(shown.values("CN") == ["second"])
        #expect(try pair.send(Array("hello".utf8), from: pair.client, to: pair.server) == Array("hello".utf8))
    }

    @Test func `a client without a certificate is served unless one is required`() throws {
        let open = try SessionPair(server: server(PassCertificates.root), client: client(nil))
        try open.connect()
        #expect(open.server.isEstablished)
        #expect(open.server.clientCertificate == nil)
        let strict = try SessionPair(server: server(PassCertificates.root, isRequired: true), client: client(nil))
        #expect(throws: TLSError.self) { try strict.connect() }
        #expect(!strict.server.isEstablished)
    }

    @Test func `a server that does not ask gets none`() throws {
        let pair = try SessionPair(server: SessionPair.serverContext(), client: client(second))
        try pair.connect()
        #expect(pair.server.clientCertificate == nil)
    }

    @Test func `a session with a client's certificate gives no ticket`() throws {
        let pair = try SessionPair(server: server(TestCertificates.authority), client: client(second))
        try pair.connect()
        _ = try pair.send([1], from: pair.server, to: pair.client)
        #expect(pair.client.resumption == nil)
    }
}
