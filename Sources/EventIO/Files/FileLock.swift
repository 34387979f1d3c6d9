import Glibc

/// Holds a file so that no second process works in the same place; the kernel lets go when the process ends.
package struct FileLock: ~Copyable {
    let file: Descriptor

    /// Takes the lock.
    ///
    /// - Parameter path: Made where it is missing, and left where it is.
    /// - Throws: `IOError`; see `isHeldByAnother`.
    package init(_ path: String) throws(IOError) {
        let file = try Files.open(path, O_RDWR | O_CREAT, 0o600)
        let raw = file.raw
        try systemCall("flock") { flock(raw, LOCK_EX | LOCK_NB) }
        self.file = file
    }

    deinit {
        // Closing is not enough: a child that another thread has forked has a copy of the descriptor until it becomes its
        // program.
        flock(file.raw, LOCK_UN)
    }

    /// Lets go of the lock.
    package consuming func release() {}
}

extension IOError {
    /// Whether a `FileLock` failed because another process holds it.
    package var isHeldByAnother: Bool { code == EWOULDBLOCK }
}
