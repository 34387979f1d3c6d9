import CLinux
import Glibc

/// A system call that failed.
package struct IOError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kernel's number for what went wrong.
    package let code: Int32
    /// The call that failed.
    package let operation: StaticString

    /// A failure with a known number.
    ///
    /// - Parameters:
    ///   - code: The kernel's number, for example `IOError.connectionRefused`.
    package init(code: Int32, operation: StaticString) {
        self.code = code
        self.operation = operation
    }

    /// The call and the name of the number: `connect ECONNREFUSED`.
    package var description: String { "\(operation) \(name)" }

    /// The name of the number: `ECONNREFUSED`.
    package var name: String {
        guard let text = unsafe clinux_error_name(code) else { return "errno \(code)" }
        return unsafe String(cString: text)
    }

    /// What went wrong in words, without the call: `permission denied`.
    package var sentence: String {
        guard let text = unsafe strerror(code) else { return name }
        let words = unsafe String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    package static func == (left: IOError, right: IOError) -> Bool {
        left.code == right.code && left.operation.description == right.operation.description
    }
}

extension IOError {
    /// Nothing listens at the address.
    package static let connectionRefused = ECONNREFUSED
    /// The peer threw the connection away.
    package static let connectionReset = ECONNRESET
    /// The peer has closed its reading side.
    package static let brokenPipe = EPIPE
    /// The file or folder does not exist.
    package static let notFound = ENOENT
    /// The file or folder exists already.
    package static let exists = EEXIST
    /// The address is in use.
    package static let addressInUse = EADDRINUSE
    /// The limit of a read was passed.
    package static let tooLarge = EFBIG
    /// An argument the call cannot take.
    package static let invalidArgument = EINVAL
    /// The wait took too long.
    package static let timedOut = ETIMEDOUT
}
