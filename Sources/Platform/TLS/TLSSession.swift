import COpenSSL

/// One TLS connection as bytes in, bytes out; it does no I/O.
///
/// What the network delivered goes in with ``feed(_:)``; ``handshake()`` and ``read(appendingTo:limit:)`` make progress
/// with it; ``write(_:)`` takes plaintext; whatever any of them wants to send is collected and leaves with
/// ``takeCiphertext(into:)``, also after a failure (an alert may wait there). Not Sendable: one loop owns it.
@safe package final class TLSSession {
    /// What a read gave.
    package enum ReadResult: Equatable {
        /// This many bytes of plaintext, at least one.
        case bytes(Int)
        /// Everything that was fed is used up.
        case needsInput
        /// The peer has said that it sends no more.
        case closed
    }

    private enum State { case handshaking, established, over }

    /// Keeps the context's callbacks alive for as long as the library may call them.
    private let context: TLSContext
    private let handle: OpaquePointer
    /// Ciphertext from the peer; owned by `handle`.
    private let inbound: OpaquePointer
    /// Ciphertext for the peer; owned by `handle`.
    private let outbound: OpaquePointer
    private var state: State = .handshaking
    private var peerHasClosed = false

    /// A server's session.
    ///
    /// - Throws: `settingRefused` when the library has no memory.
    package init(accepting context: TLSContext) throws(TLSError) {
        self.context = context
        unsafe (handle, inbound, outbound) = try TLSSession.make(context)
        unsafe SSL_set_accept_state(handle)
    }

    /// A client's session.
    ///
    /// - Parameters:
    ///   - serverName: The name or address the server's certificate must carry; a name is also sent to it (SNI).
    ///   - resumption: From an earlier session with the same server, to shorten the handshake.
    /// - Throws: `settingRefused` when the library has no memory or the name is impossible.
    package init(
        connecting context: TLSContext,
        serverName: String,
        resumption: TLSResumption? = nil
    ) throws(TLSError) {
        self.context = context
        unsafe (handle, inbound, outbound) = try TLSSession.make(context)
        unsafe SSL_set_connect_state(handle)
        let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), serverName) == 1
        ErrorQueue.clear()
        if !isAddress {
            guard unsafe SSL_set1_host(handle, serverName) == 1,
                unsafe shim_SSL_set_tlsext_host_name(handle, serverName) == 1
            else { throw ErrorQueue.error(.settingRefused) }
        }
        unsafe resumption?.install(in: handle)
    }

    deinit {
        unsafe SSL_free(handle)
    }

    private static func make(
        _ context: TLSContext
    ) throws(TLSError) -> (OpaquePointer, OpaquePointer, OpaquePointer) {
        ErrorQueue.clear()
        guard let handle = unsafe SSL_new(context.handle) else { throw ErrorQueue.error(.settingRefused) }
        let inbound = unsafe BIO_new(BIO_s_mem())
        let outbound = unsafe BIO_new(BIO_s_mem())
        guard let inbound = unsafe inbound, let outbound = unsafe outbound else {
            unsafe BIO_free(inbound)
            unsafe BIO_free(outbound)
            unsafe SSL_free(handle)
            throw ErrorQueue.error(.settingRefused)
        }
        unsafe SSL_set_bio(handle, inbound, outbound)
        return unsafe (handle, inbound, outbound)
    }

    // MARK: Bytes of the network

    /// Hands over what the network delivered; nothing happens with it before the next handshake step or read.
    ///
    /// - Throws: `settingRefused` when the library has no memory.
    package func feed(_ ciphertext: Span<UInt8>) throws(TLSError) {
        guard !ciphertext.isEmpty else { return }
        let taken = unsafe ciphertext.withUnsafeBufferPointer { bytes in
            unsafe BIO_write(inbound, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        guard taken == ciphertext.count else { throw fail(.settingRefused) }
    }

    /// How many bytes wait to be sent.
    package var pendingCiphertext: Int { unsafe Int(BIO_ctrl_pending(outbound)) }

    /// Moves everything that waits to be sent to the end of a buffer.
    ///
    /// - Parameter output: Grows by ``pendingCiphertext`` bytes.
    package func takeCiphertext(into output: inout [UInt8]) {
        let pending = pendingCiphertext
        guard pending > 0 else { return }
        output.append(addingCapacity: pending) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, initialized in
                let count = unsafe BIO_read(outbound, bytes.baseAddress, Int32(clamping: pending))
                initialized += Int(max(0, count))
            }
        }
    }

    // MARK: Handshake

    /// Whether the handshake is complete and the session has not ended from this side.
    package var isEstablished: Bool { state == .established }

    /// Takes the handshake as far as what was fed allows.
    ///
    /// On a server the step that sees the client's first message costs about 0.2 ms.
    ///
    /// - Returns: Whether the handshake is complete.
    /// - Throws: `plainHTTP`, `handshakeFailed`, or `sessionOver` after an earlier failure. An alert may wait to be
    ///   sent.
    package func handshake() throws(TLSError) -> Bool {
        switch state {
        case .established: return true
        case .over: throw TLSError(.sessionOver)
        case .handshaking: break
        }
        ErrorQueue.clear()
        let result = unsafe SSL_do_handshake(handle)
        if result == 1 {
            state = .established
            return true
        }
        guard unsafe SSL_get_error(handle, result) == SSL_ERROR_WANT_READ else { throw failHandshake() }
        return false
    }

    // MARK: Plaintext

    /// Decrypts what was fed.
    ///
    /// - Parameters:
    ///   - limit: The most to read, at least 1; one call gives at most one record (16 KiB).
    /// - Returns: How much was written, or that there is nothing (more) to read.
    /// - Throws: `sessionFailed`, or `sessionOver` before the handshake is complete and after an earlier failure.
    package func read(appendingTo buffer: inout [UInt8], limit: Int) throws(TLSError) -> ReadResult {
        guard state == .established else { throw TLSError(.sessionOver) }
        // The library takes a buffer of 16 KiB from the allocator even to find that there is nothing to decrypt.
        guard unsafe BIO_ctrl_pending(inbound) > 0 || SSL_has_pending(handle) == 1 else {
            return peerHasClosed ? .closed : .needsInput
        }
        ErrorQueue.clear()
        var result: Int32 = 0
        buffer.append(addingCapacity: max(1, limit)) { span in
            unsafe span.withUnsafeMutableBufferPointer { bytes, initialized in
                result = unsafe SSL_read(handle, bytes.baseAddress, Int32(clamping: bytes.count))
                initialized += Int(max(0, result))
            }
        }
        if result > 0 { return .bytes(Int(result)) }
        switch unsafe SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_ZERO_RETURN:
            peerHasClosed = true
            return .closed
        default: throw fail(.sessionFailed)
        }
    }

    /// Encrypts plaintext into the bytes to send.
    ///
    /// - Parameter plaintext: All of it is taken; a record holds at most 16 KiB of it.
    /// - Throws: `sessionFailed`, or `sessionOver` before the handshake is complete and after an earlier failure.
    package func write(_ plaintext: Span<UInt8>) throws(TLSError) {
        guard state == .established else { throw TLSError(.sessionOver) }
        ErrorQueue.clear()
        var offset = 0
        while offset < plaintext.count {
            let result = unsafe plaintext.extracting(offset...).withUnsafeBufferPointer { bytes in
                unsafe SSL_write(handle, bytes.baseAddress, Int32(clamping: bytes.count))
            }
            // A memory BIO takes whatever is written to it, so nothing but a failure can stop this.
            guard result > 0 else { throw fail(.sessionFailed) }
            offset += Int(result)
        }
    }

    /// Says that nothing more will be written (close_notify).
    ///
    /// Reading goes on. Does nothing if the session has failed.
    package func close() {
        guard state == .established else { return }
        ErrorQueue.clear()
        if unsafe SSL_shutdown(handle) < 0 { _ = fail(.sessionFailed) }
    }

    // MARK: Facts

    /// The protocol that both sides chose by ALPN, or `nil`.
    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(handle, &name, &length)
        guard let name = unsafe name, length > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The version in the library's words: `TLSv1.2` or `TLSv1.3`.
    package var version: String { unsafe String(cString: SSL_get_version(handle)) }

    /// Whether the handshake was shortened by a ticket.
    package var isResumed: Bool { unsafe SSL_session_reused(handle) == 1 }

    /// What the client has shown of itself; `nil` before the handshake is complete, for one that showed none, and for a server's.
    package var clientCertificate: TLSPeerCertificate? {
        guard state == .established, unsafe SSL_is_server(handle) == 1 else { return nil }
        return unsafe TLSPeerCertificate(of: handle)
    }

    /// What a client may hand to its next session with this server, or `nil` before a ticket has come.
    ///
    /// In TLS 1.3 the ticket comes behind the handshake: read once first.
    package var resumption: TLSResumption? {
        unsafe TLSResumption(of: handle)
    }

    // MARK: Failure

    private func fail(_ code: TLSError.Code) -> TLSError {
        state = .over
        return ErrorQueue.error(code)
    }

    private func failHandshake() -> TLSError {
        state = .over
        let entries = ErrorQueue.drain()
        let code: TLSError.Code = entries.contains(where: \.saysPlainHTTP) ? .plainHTTP : .handshakeFailed
        var reasons = entries.map(\.text)
        let verdict = unsafe SSL_get_verify_result(handle)
        if verdict != X509_V_OK { reasons.append(unsafe String(cString: X509_verify_cert_error_string(verdict))) }
        return TLSError(code, detail: reasons.joined(separator: "; "))
    }
}
