import COpenSSL

/// A failure of a cryptographic operation.
package struct CryptographyError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Equatable {
        /// The text or bytes are not a key of the kind and strength that was asked for.
        case invalidKey
        /// The text is not a certificate, or a fact in it cannot be read.
        case invalidCertificate
        /// Sealed bytes were altered, cut, or sealed with another key or context.
        case notAuthentic
        /// Sealed under a key that is not there; the detail has its number.
        case unknownKey
        /// OpenSSL refused for a reason of its own; see the detail.
        case failed
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong, for operators; never sent to a client and never holding key material.
    package let detail: String

    /// A failure with a text of our own.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The code only: this text may reach an untrusted client.
    package var description: String { "\(code)" }

    package var debugDescription: String { "\(code): \(detail)" }

    /// A failure of an OpenSSL call; empties the thread's error queue into the detail.
    ///
    /// The queue belongs to the thread: what is left in it would be reported against the next connection on the loop.
    static func openSSL(_ code: Code, _ operation: StaticString) -> CryptographyError {
        var detail = "\(operation)"
        while true {
            let entry = ERR_get_error()
            guard entry != 0 else { break }
            detail +=
                "; " + (unsafe ERR_reason_error_string(entry).map { unsafe String(cString: $0) } ?? "error \(entry)")
        }
        return CryptographyError(code, detail)
    }
}
