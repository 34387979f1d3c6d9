import COpenSSL
package import Primitives

/// What all TLS sessions of one side have in common: versions, ciphers, protocols, certificate and trust.
///
/// TLS 1.2 and 1.3; no compression, no renegotiation, no early data, forward-secret authenticated ciphers only. A
/// server keeps no session cache and issues one ticket per handshake. To change anything make a new context: sessions
/// made from the old one keep it until they end.
@safe package final class TLSContext: Sendable {
    /// The library's context.
    ///
    /// Invariant behind `unsafe`: it is configured in the initialiser only; afterwards any thread may read it and
    /// make sessions from it, which OpenSSL allows (its reference count is atomic).
    nonisolated(unsafe) let handle: OpaquePointer
    /// The server's protocol names, kept alive for the library's callback.
    private let protocols: ProtocolNamesBox
    /// The server's ticket keys, kept alive for the library's callback.
    private let ticketKeys: TLSTicketKeys?

    /// A server's context.
    ///
    /// - Parameters:
    ///   - certificatePEM: The leaf first, then its issuers; ECDSA P-256 or RSA of 2048 bits and more.
    ///   - keyPEM: The leaf's private key, without a passphrase.
    ///   - alpn: Protocol names by preference, such as `http/1.1`. A client that offers others only is refused; one
    ///     that offers none is served.
    ///   - ticketKeys: The process's ticket keys; `nil` issues tickets that only this context can resume.
    ///   - clients: Asks clients for a certificate; each handshake is a full one then. `nil` asks for none.
    /// - Throws: `certificateUnreadable`, `keyUnreadable`, `keyMismatch` or `settingRefused`.
    package convenience init(
        certificatePEM: [UInt8],
        keyPEM: Secret<[UInt8]>,
        alpn: [String],
        ticketKeys: TLSTicketKeys? = nil,
        clients: TLSClientTrust? = nil
    ) throws(TLSError) {
        let identity = TLSIdentity(certificatePEM: certificatePEM, keyPEM: keyPEM)
        try self.init(identities: [identity], alpn: alpn, ticketKeys: ticketKeys, clients: clients)
    }

    /// A server's context with certificates of several kinds.
    ///
    /// Each client is shown one whose signature it can check, P-256 before RSA.
    ///
    /// - Parameters:
    ///   - alpn: As above.
    ///   - ticketKeys: As above.
    ///   - clients: As above.
    /// - Throws: As above; `settingRefused` for two of one kind.
    package init(
        identities: [TLSIdentity],
        alpn: [String],
        ticketKeys: TLSTicketKeys? = nil,
        clients: TLSClientTrust? = nil
    ) throws(TLSError) {
        let builder = unsafe try ContextBuilder.make(TLS_server_method())
        var kinds: Set<Int32> = []
        for identity in identities {
            let key = identity.keyPEM.reveal()
            let kind = try builder.addCertificate(chain: PEMReader(identity.certificatePEM), key: PEMReader(key))
            // The library would forget the one before.
            guard kinds.insert(kind).inserted else {
                throw TLSError(.settingRefused, detail: "two certificates of one kind")
            }
        }
        let protocols = try builder.setServerProtocols(alpn)
        try builder.setTickets(ticketKeys)
        if let clients { try builder.askClients(clients) }
        self.protocols = protocols
        self.ticketKeys = ticketKeys
        unsafe handle = builder.finish()
    }

    /// A client's context.
    ///
    /// - Parameters:
    ///   - trustedPEM: Certificates that may have issued the server's, and nothing else is trusted; `nil` for the authorities of
    ///     the machine, whose files are read here.
    ///   - identity: What the server is shown when it asks for a certificate.
    ///   - alpn: Protocol names to offer, by preference; may be empty.
    /// - Throws: `certificateUnreadable`, `keyUnreadable`, `keyMismatch` or `settingRefused`.
    package init(trustedPEM: [UInt8]?, identity: TLSIdentity? = nil, alpn: [String] = []) throws(TLSError) {
        let builder = unsafe try ContextBuilder.make(TLS_client_method())
        if let trustedPEM { try builder.setTrust(PEMReader(trustedPEM)) } else { try builder.trustMachine() }
        if let identity {
            let key = identity.keyPEM.reveal()
            _ = try builder.addCertificate(chain: PEMReader(identity.certificatePEM), key: PEMReader(key))
        }
        try builder.setClientProtocols(alpn)
        protocols = try ProtocolNamesBox([])
        ticketKeys = nil
        unsafe handle = builder.finish()
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }
}
