package import EventIO

/// Why a server could not start.
package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Equatable {
        /// An address is in use, not on this machine, or not allowed.
        case cannotListen
        /// A listener speaks TLS and there is no context.
        case noTLSContext
        /// The drain has begun.
        case draining
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What the kernel said, for operators.
    package let detail: String
    /// The address that cannot be listened on, and why not; `nil` for another code.
    package let refusal: (address: SocketAddress, cause: IOError)?

    init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
        refusal = nil
    }

    init(cannotListenOn address: SocketAddress, _ cause: IOError) {
        code = .cannotListen
        detail = "\(address): \(cause)"
        refusal = (address, cause)
    }

    package var description: String { detail.isEmpty ? "ServerError.\(code)" : "ServerError.\(code): \(detail)" }
}
