import Primitives
import TLS
import TestKit

/// A client and a server session joined by memory.
struct SessionPair {
    let client: TLSSession
    let server: TLSSession

    /// A server's context with one of the test certificates.
    static func serverContext(
        certificate: [UInt8] = TestCertificates.first,
        key: [UInt8] = TestCertificates.firstKey,
        alpn: [String] = ["http/1.1"],
        ticketKeys: TLSTicketKeys? = nil
    ) throws(TLSError) -> TLSContext {
        try TLSContext(certificatePEM: certificate, keyPEM: Secret(key), alpn: alpn, ticketKeys: ticketKeys)
    }

    /// A client's context that trusts the test authority.
    static func clientContext(alpn: [String] = ["http/1.1"]) throws(TLSError) -> TLSContext {
        try TLSContext(trustedPEM: TestCertificates.authority, alpn: alpn)
    }

    init(
        server: TLSContext,
        client: TLSContext,
        serverName: String = "localhost",
        resumption: TLSResumption? = nil
    ) throws(TLSError) {
        self.server = try TLSSession(accepting: server)
        self.client = try TLSSession(connecting: client, serverName: serverName, resumption: resumption)
    }

    init() throws(TLSError) {
        try self.init(server: SessionPair.serverContext(), client: SessionPair.clientContext())
    }

    /// Carries both handshakes to their end.
    func connect() throws(TLSError) {
        for _ in 0..<6 {
            let clientDone = try client.handshake()
            try transfer(from: client, to: server)
            let serverDone = try server.handshake()
            try transfer(from: server, to: client)
            if clientDone, serverDone { return }
        }
        throw TLSError(.handshakeFailed, detail: "no end after six rounds")
    }

    /// Carries everything that waits from one side to the other.
    func transfer(from sender: TLSSession, to receiver: TLSSession) throws(TLSError) {
        var bytes: [UInt8] = []
        sender.takeCiphertext(into: &bytes)
        try receiver.feed(bytes.span)
    }

    /// Writes on one side and reads on the other until nothing is left.
    func send(_ text: [UInt8], from sender: TLSSession, to receiver: TLSSession) throws(TLSError) -> [UInt8] {
        try sender.write(text.span)
        try transfer(from: sender, to: receiver)
        return try receiver.readAll().bytes
    }
}

extension TLSSession {
    /// Reads until the session wants input or the peer has closed.
    func readAll() throws(TLSError) -> (bytes: [UInt8], isClosed: Bool) {
        var output: [UInt8] = []
        while true {
            switch try read(appendingTo: &output, limit: 4096) {
            case .bytes: break
            case .needsInput: return (output, false)
            case .closed: return (output, true)
            }
        }
    }
}
