import Glibc

/// Owns a file descriptor and closes it when it goes out of life.
package struct Descriptor: ~Copyable {
    /// The kernel's number, for calls and registrations; owned by this value alone.
    package let raw: Int32

    /// Takes over an open descriptor.
    ///
    /// - Parameter raw: Open, and closed by nobody else.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    /// Closes the descriptor now.
    package consuming func close() {}

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
        _ = Glibc.close(raw)
    }
}
