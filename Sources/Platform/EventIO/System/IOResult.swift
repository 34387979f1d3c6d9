import Glibc

/// The outcome of a call that may have nothing to do yet.
package enum IOResult: Sendable, Equatable {
    /// How many bytes went through; zero from a read is the end of the stream.
    case done(Int)
    /// Nothing now; wait for readiness.
    case wouldBlock
}

/// Runs a system call, again while a signal interrupts it.
///
/// - Parameters:
///   - operation: The name of the call, for the error.
///   - body: Returns -1 and sets errno on failure.
/// - Returns: What the call returned, zero or more.
/// - Throws: `IOError` with errno.
@discardableResult
func systemCall(_ operation: StaticString, _ body: () -> Int) throws(IOError) -> Int {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw IOError(code: code, operation: operation) }
    }
}

/// Runs a system call that returns a C `int`, again while a signal interrupts it.
///
/// - Parameters:
///   - operation: The name of the call, for the error.
///   - body: Returns -1 and sets errno on failure.
/// - Returns: What the call returned, zero or more.
/// - Throws: `IOError` with errno.
@discardableResult
func systemCall(_ operation: StaticString, _ body: () -> Int32) throws(IOError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw IOError(code: code, operation: operation) }
    }
}

/// Runs a system call that moves bytes, with "try again" as a result rather than an error.
///
/// - Parameters:
///   - operation: The name of the call, for the error.
///   - body: Returns -1 and sets errno on failure.
/// - Returns: The count, or `wouldBlock`.
/// - Throws: `IOError` with errno.
func transfer(_ operation: StaticString, _ body: () -> Int) throws(IOError) -> IOResult {
    while true {
        let result = body()
        if result >= 0 { return .done(result) }
        let code = errno
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        if code != EINTR { throw IOError(code: code, operation: operation) }
    }
}
