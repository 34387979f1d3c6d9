import Primitives
import TLS
import TestKit
import Testing

@Suite("A TLS handshake")
struct HandshakeTests {
    @Test func `ends in TLS 1.3 with the protocol both sides know`() throws {
        let pair = try SessionPair()
        try pair.connect()
        #expect(pair.server.isEstablished)
        #expect(pair.server.version == "TLSv1.3")
        #expect(pair.server.negotiatedProtocol == "http/1.1")
        #expect(pair.client.negotiatedProtocol == "http/1.1")
        #expect(!pair.server.isResumed)
    }

    @Test func `works with an RSA certificate`() throws {
        let server = try SessionPair.serverContext(certificate: TestCertificates.rsa, key: TestCertificates.rsaKey)
        let pair = try SessionPair(server: server, client: SessionPair.clientContext())
        try pair.connect()
        #expect(pair.client.isEstablished)
    }

    @Test(arguments: ["localhost", "first.localhost", "127.0.0.1"])
    func `succeeds for a name the certificate carries`(name: String) throws {
        let pair = try SessionPair(
            server: SessionPair.serverContext(),
            client: SessionPair.clientContext(),
            serverName: name
        )
        try pair.connect()
        #expect(pair.client.isEstablished)
    }

    @Test(arguments: ["second.localhost", "127.0.0.2", "localhost.example"])
    func `fails for another name, and the server reads the alert`(name: String) throws {
        let pair = try SessionPair(
            server: SessionPair.serverContext(),
            client: SessionPair.clientContext(),
            serverName: name
        )
        let refused = #expect(throws: TLSError.self) { try pair.connect() }
        #expect(refused?.code == .handshakeFailed)
        #expect(refused?.detail.contains("certificate verify failed") == true)
        #expect(pair.client.pendingCiphertext > 0)
        try pair.transfer(from: pair.client, to: pair.server)
        #expect(throws: TLSError.self) { try pair.server.handshake() }
    }

    @Test func `fails when the authority is not trusted`() throws {
        let client = try TLSContext(trustedPEM: TestCertificates.second)
        let pair = try SessionPair(server: SessionPair.serverContext(), client: client)
        #expect(throws: TLSError.self) { try pair.connect() }
    }

    @Test func `takes the server's favourite of several protocols`() throws {
        let pair = try SessionPair(
            server: SessionPair.serverContext(alpn: ["h2", "http/1.1"]),
            client: SessionPair.clientContext(alpn: ["http/1.1", "x", "h2"])
        )
        try pair.connect()
        #expect(pair.server.negotiatedProtocol == "h2")
    }

    @Test func `goes without a protocol when the client offers none`() throws {
        let pair = try SessionPair(server: SessionPair.serverContext(), client: SessionPair.clientContext(alpn: []))
        try pair.connect()
        #expect(pair.server.negotiatedProtocol == nil)
    }

    @Test func `is refused with an alert when no protocol is common`() throws {
        let pair = try SessionPair(server: SessionPair.serverContext(), client: SessionPair.clientContext(alpn: ["h3"]))
        #expect(throws: TLSError.self) { try pair.connect() }
        #expect(pair.server.pendingCiphertext > 0)
    }

    @Test func `makes progress byte by byte`() throws {
        let pair = try SessionPair()
        for _ in 0..<4 {
            _ = try pair.client.handshake()
            try drip(from: pair.client, to: pair.server)
            try drip(from: pair.server, to: pair.client)
        }
        #expect(pair.server.isEstablished)
        #expect(pair.client.isEstablished)
    }

    private func drip(from sender: TLSSession, to receiver: TLSSession) throws {
        var bytes: [UInt8] = []
        sender.takeCiphertext(into: &bytes)
        for byte in bytes {
            try receiver.feed([byte].span)
            _ = try receiver.handshake()
        }
    }

    @Test func `knows a plain request from other noise`() throws {
        let session = try TLSSession(accepting: SessionPair.serverContext())
        try session.feed(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8).span)
        let refused = #expect(throws: TLSError.self) { try session.handshake() }
        #expect(refused?.code == .plainHTTP)
    }

    /// Openings of a connection that are no TLS.
    enum Noise: CaseIterable {
        case zeros, ones, anotherProtocol, oversizedRecord, damagedHello

        var bytes: [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: 64)
            case .ones: [UInt8](repeating: 0xFF, count: 300)
            case .anotherProtocol: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)
            case .oversizedRecord: [0x16, 0x03, 0x01, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 70_000)
            case .damagedHello: [0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00]
            }
        }
    }

    @Test(arguments: Noise.allCases)
    func `fails on noise, and stays failed`(noise: Noise) throws {
        let session = try TLSSession(accepting: SessionPair.serverContext())
        try session.feed(noise.bytes.span)
        let refused = #expect(throws: TLSError.self) { try session.handshake() }
        #expect(refused?.code == .handshakeFailed)
        let again = #expect(throws: TLSError.self) { try session.handshake() }
        #expect(again?.code == .sessionOver)
    }

    @Test func `leaves no error behind for the next session on the thread`() throws {
        let context = try SessionPair.serverContext()
        let noisy = try TLSSession(accepting: context)
        try noisy.feed([UInt8](repeating: 0xFF, count: 300).span)
        #expect(throws: TLSError.self) { try noisy.handshake() }
        let pair = try SessionPair(server: context, client: SessionPair.clientContext())
        try pair.connect()
        #expect(try pair.send([1, 2, 3], from: pair.client, to: pair.server) == [1, 2, 3])
    }
}

@Suite("A resumed TLS handshake")
struct ResumptionTests {
    /// A first connection, and what its client keeps of it.
    private func ticket(
        from server: TLSContext,
        client: TLSContext,
        resuming previous: TLSResumption? = nil
    ) throws -> TLSResumption {
        let pair = try SessionPair(server: server, client: client, resumption: previous)
        try pair.connect()
        _ = try pair.client.readAll()
        return try #require(pair.client.resumption)
    }

    private func resumes(_ ticket: TLSResumption, on server: TLSContext, client: TLSContext) throws -> Bool {
        let pair = try SessionPair(server: server, client: client, resumption: ticket)
        try pair.connect()
        #expect(try pair.send([7], from: pair.client, to: pair.server) == [7])
        #expect(pair.server.isResumed == pair.client.isResumed)
        return pair.server.isResumed
    }

    @Test(arguments: [true, false])
    func `needs the context that issued the ticket, or shared keys`(shared: Bool) throws {
        let keys = shared ? try TLSTicketKeys(clock: ManualClock()) : nil
        let client = try SessionPair.clientContext()
        let first = try SessionPair.serverContext(ticketKeys: keys)
        let ticket = try ticket(from: first, client: client)
        #expect(try resumes(ticket, on: first, client: client))
        let second = try SessionPair.serverContext(ticketKeys: keys)
        #expect(try resumes(ticket, on: second, client: client) == shared)
    }

    @Test func `works while its key is known`() throws {
        let clock = ManualClock()
        let keys = try TLSTicketKeys(clock: clock)
        let client = try SessionPair.clientContext()
        let server = try SessionPair.serverContext(ticketKeys: keys)
        let ticket = try ticket(from: server, client: client)
        clock.advance(by: .seconds(7300))
        let next = try self.ticket(from: server, client: client)
        #expect(try resumes(ticket, on: server, client: client), "a new key makes tickets, the old one opens them")
        clock.advance(by: .seconds(7200))
        #expect(try !resumes(ticket, on: server, client: client))
        #expect(try resumes(next, on: server, client: client))
        clock.set(WallTime(seconds: 0))
        #expect(try !resumes(next, on: server, client: client), "no key outlives a clock that is set back")
    }

    @Test func `works across processes that derive their keys from one secret`() throws {
        let start = ManualClock(at: WallTime(seconds: 7200 * 250_000 + 7000))
        let client = try SessionPair.clientContext()
        let first = try SessionPair.serverContext(ticketKeys: SharedSecret(1).keys(start))
        let second = try SessionPair.serverContext(ticketKeys: SharedSecret(1).keys(start))
        let stranger = try SessionPair.serverContext(ticketKeys: SharedSecret(2).keys(start))
        let ticket = try ticket(from: first, client: client)
        #expect(try resumes(ticket, on: second, client: client))
        #expect(try !resumes(ticket, on: stranger, client: client))
        // The next period: another key makes tickets, the old one still opens them.
        start.advance(by: .seconds(300))
        #expect(try resumes(ticket, on: second, client: client))
        let renewed = try self.ticket(from: second, client: client, resuming: ticket)
        start.advance(by: .seconds(7200))
        #expect(try !resumes(ticket, on: first, client: client), "its key is two periods old")
        #expect(try resumes(renewed, on: first, client: client), "an old key's ticket is replaced by a new one")
    }

    @Test func `works where the clock of the process that made the ticket is ahead`() throws {
        let (behind, ahead) = (ManualClock(at: WallTime(seconds: 7199)), ManualClock(at: WallTime(seconds: 7201)))
        let client = try SessionPair.clientContext()
        let maker = try SessionPair.serverContext(ticketKeys: SharedSecret(1).keys(ahead))
        let ticket = try ticket(from: maker, client: client)
        let opener = try SessionPair.serverContext(ticketKeys: SharedSecret(1).keys(behind))
        #expect(try resumes(ticket, on: opener, client: client))
    }

    @Test func `outlives the context object it came from`() throws {
        let client = try SessionPair.clientContext()
        var server: TLSContext? = try SessionPair.serverContext(ticketKeys: TLSTicketKeys(clock: ManualClock()))
        let pair = try SessionPair(server: #require(server), client: client)
        server = nil
        try pair.connect()
        #expect(try pair.send([9], from: pair.server, to: pair.client) == [9])
    }
}

/// Stands for a secret that processes share: the keys of a period depend on both and on nothing else.
private struct SharedSecret {
    private let number: UInt8

    init(_ number: UInt8) {
        self.number = number
    }

    func keys(_ clock: ManualClock) -> TLSTicketKeys {
        let number = number
        return TLSTicketKeys(clock: clock) { period in
            Secret((0..<TLSTicketKeys.keyBytes).map { UInt8(truncatingIfNeeded: Int64($0) &* 31 &+ period) ^ number })
        }
    }
}
