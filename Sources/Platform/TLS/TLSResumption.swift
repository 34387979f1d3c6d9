import COpenSSL

/// What a client keeps of a session in order to resume it: a ticket and the secret that goes with it.
///
/// Both ways in and out copy: the library marks the session of a connection that ended without a close as spent.
@safe package final class TLSResumption {
    private let handle: OpaquePointer

    /// A copy of a connection's session, or `nil` where it cannot be resumed.
    init?(of connection: OpaquePointer) {
        guard let session = unsafe SSL_get_session(connection), unsafe SSL_SESSION_is_resumable(session) == 1,
            let copy = unsafe SSL_SESSION_dup(session)
        else { return nil }
        unsafe handle = copy
    }

    deinit {
        unsafe SSL_SESSION_free(handle)
    }

    /// Offers a copy to the server of a connection; without memory for it the handshake is a full one.
    func install(in connection: OpaquePointer) {
        let copy = unsafe SSL_SESSION_dup(handle)
        if unsafe SSL_set_session(connection, copy) != 1 { ErrorQueue.clear() }
        unsafe SSL_SESSION_free(copy)
    }
}
