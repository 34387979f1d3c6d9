/// A failure of a TLS context or session.
package struct TLSError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Equatable {
        /// The certificate chain is no PEM, is empty, or is refused by the library.
        case certificateUnreadable
        /// The private key is no PEM without a passphrase, or of a kind the library cannot use.
        case keyUnreadable
        /// The private key belongs to another certificate.
        case keyMismatch
        /// The library refused a setting or had no memory; a fault on this side.
        case settingRefused
        /// The peer spoke HTTP without TLS.
        case plainHTTP
        /// The handshake failed: no common version or cipher, a certificate not trusted, or bytes that are no TLS.
        case handshakeFailed
        /// An established session broke: a damaged record, a fatal alert, an illegal message.
        case sessionFailed
        /// The session was used after it had failed or had been closed from this side.
        case sessionOver
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What the library reported, for operators; never sent to a peer.
    ///
    /// Several reports are joined by semicolons; may be empty.
    package let detail: String

    /// A failure with the given code and detail.
    ///
    /// - Parameters:
    ///   - detail: For operators; may be empty.
    package init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    package var description: String { "TLSError.\(code)" }

    package var debugDescription: String { detail.isEmpty ? description : "\(description): \(detail)" }
}
