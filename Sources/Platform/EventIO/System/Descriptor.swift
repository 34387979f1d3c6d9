import Glibc

/// Owns a file descriptor and closes it when it goes out of life.
package struct Descriptor: ~Copyable {
    /// The kernel's number, for calls and registrations; owned by this value alone.
    ///
    /// It is -1 after `closeInPlace`.
    package private(set) var raw: Int32

    /// Takes over an open descriptor.
    ///
    /// - Parameter raw: Open, and closed by nobody else.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    /// Closes the descriptor now.
    package consuming func close() {}

    /// Closes the descriptor now where it is stored; every later call with it fails with EBADF, and closing again does nothing.
    package mutating func closeInPlace() {
        self = Descriptor(owning: -1)
    }

    /// Gives the descriptor away, open.
    ///
    /// - Returns: The kernel's number; the caller closes it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // After close the number is free even when the call reports an error; a second try could hit another's descriptor.
        if raw >= 0 { _ = Glibc.close(raw) }
    }
}
