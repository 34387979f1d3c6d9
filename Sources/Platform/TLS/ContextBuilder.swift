import COpenSSL

/// Configures one `SSL_CTX`; frees it unless it is finished.
@safe struct ContextBuilder: ~Copyable {
    private let handle: OpaquePointer

    /// TLS 1.2 with ephemeral keys and authenticated encryption only; the list of TLS 1.3 is sound as it comes.
    private static let ciphers =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

    /// X25519 first, it is the cheapest; P-256 for those who must.
    private static let groups = "X25519:P-256"

    private init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit { unsafe SSL_CTX_free(handle) }

    /// A fresh context for one side, with the settings both sides share.
    static func make(_ method: OpaquePointer?) throws(TLSError) -> ContextBuilder {
        ErrorQueue.clear()
        guard let handle = unsafe SSL_CTX_new(method) else { throw ErrorQueue.error(.settingRefused) }
        let builder = unsafe ContextBuilder(owning: handle)
        try builder.setDefaults()
        return builder
    }

    private func setDefaults() throws(TLSError) {
        _ = unsafe SSL_CTX_set_options(handle, shim_server_options())
        _ = unsafe shim_SSL_CTX_set_mode(handle, shim_session_modes())
        _ = unsafe shim_SSL_CTX_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
        let accepted =
            unsafe shim_SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION) == 1
            && SSL_CTX_set_cipher_list(handle, ContextBuilder.ciphers) == 1
            && shim_SSL_CTX_set1_groups_list(handle, ContextBuilder.groups) == 1
        guard accepted else { throw ErrorQueue.error(.settingRefused) }
    }

    /// Hands the context over.
    consuming func finish() -> OpaquePointer {
        let handle = unsafe handle
        discard self
        return unsafe handle
    }

    /// Adds a certificate with its chain and key.
    ///
    /// - Returns: The library's number for the kind of its key; it keeps one certificate of each.
    func addCertificate(chain: borrowing PEMReader, key: borrowing PEMReader) throws(TLSError) -> Int32 {
        guard let leaf = chain.nextCertificate(), unsafe SSL_CTX_use_certificate(handle, leaf.handle) == 1 else {
            throw ErrorQueue.error(.certificateUnreadable)
        }
        // What follows is about the certificate that was added last.
        while let issuer = chain.nextCertificate() {
            guard unsafe shim_SSL_CTX_add1_chain_cert(handle, issuer.handle) == 1 else {
                throw ErrorQueue.error(.certificateUnreadable)
            }
        }
        try ContextBuilder.expectEnd()
        guard let key = key.nextPrivateKey() else { throw ErrorQueue.error(.keyUnreadable) }
        // Both calls compare the key with the leaf.
        guard unsafe SSL_CTX_use_PrivateKey(handle, key.handle) == 1, unsafe SSL_CTX_check_private_key(handle) == 1
        else {
            throw ErrorQueue.error(.keyMismatch)
        }
        return unsafe EVP_PKEY_get_base_id(key.handle)
    }

    func setTrust(_ certificates: borrowing PEMReader) throws(TLSError) {
        try addTrusted(certificates)
        unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    }

    /// Asks clients for a certificate, without tickets: a ticket would carry the certificate past its own end.
    func askClients(_ clients: TLSClientTrust) throws(TLSError) {
        try addTrusted(PEMReader(clients.authoritiesPEM))
        let mode = SSL_VERIFY_PEER | (clients.isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
        // Whatever the chain is worth, the handshake goes on: the application decides, and may say why.
        unsafe SSL_CTX_set_verify(handle, mode) { _, _ in 1 }
        _ = unsafe SSL_CTX_set_options(handle, shim_no_tickets())
        guard unsafe SSL_CTX_set_num_tickets(handle, 0) == 1 else { throw ErrorQueue.error(.settingRefused) }
    }

    private func addTrusted(_ certificates: borrowing PEMReader) throws(TLSError) {
        let store = unsafe SSL_CTX_get_cert_store(handle)
        var count = 0
        while let certificate = certificates.nextCertificate() {
            guard unsafe X509_STORE_add_cert(store, certificate.handle) == 1 else {
                throw ErrorQueue.error(.certificateUnreadable)
            }
            count += 1
        }
        try ContextBuilder.expectEnd()
        guard count > 0 else { throw TLSError(.certificateUnreadable, detail: "no certificate to trust") }
    }

    /// Trusts the authorities of the machine.
    func trustMachine() throws(TLSError) {
        guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else { throw ErrorQueue.error(.settingRefused) }
        unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    }

    func setServerProtocols(_ names: [String]) throws(TLSError) -> ProtocolNamesBox {
        let box = try ProtocolNamesBox(names)
        if !names.isEmpty { unsafe box.install(in: handle) }
        return box
    }

    func setClientProtocols(_ names: [String]) throws(TLSError) {
        guard let wire = ProtocolNames(names)?.wire else {
            throw TLSError(.settingRefused, detail: "a protocol name is empty or too long")
        }
        // This call returns 0 for success, unlike its neighbours.
        let refused = unsafe wire.isEmpty ? 0 : SSL_CTX_set_alpn_protos(handle, wire, UInt32(wire.count))
        guard refused == 0 else {
            throw ErrorQueue.error(.settingRefused)
        }
    }

    func setTickets(_ keys: TLSTicketKeys?) throws(TLSError) {
        _ = unsafe SSL_CTX_set_timeout(handle, TLSTicketKeys.ticketSeconds)
        guard unsafe SSL_CTX_set_num_tickets(handle, 1) == 1, unsafe keys?.install(in: handle) ?? true else {
            throw ErrorQueue.error(.settingRefused)
        }
    }

    /// A reader stops with "no start line" behind the last block; any other report means that a block is damaged.
    private static func expectEnd() throws(TLSError) {
        let entries = ErrorQueue.drain()
        guard entries.allSatisfy(\.saysNoMorePEM) else {
            throw TLSError(.certificateUnreadable, detail: entries.map(\.text).joined(separator: "; "))
        }
    }
}

extension ErrorQueue.Entry {
    /// Whether the report says that no further PEM block was found.
    fileprivate var saysNoMorePEM: Bool {
        ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
    }
}
