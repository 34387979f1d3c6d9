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

    /// Writes the number of this process into the file, for those who find it held.
    package borrowing func sign() throws(IOError) {
        let raw = file.raw
        let number = Array("\(getpid())\n".utf8)
        try systemCall("ftruncate") { ftruncate(raw, 0) }
        _ = try systemCall("pwrite") {
            unsafe number.withUnsafeBytes { unsafe pwrite(raw, $0.baseAddress, $0.count, 0) }
        }
    }

    /// The number of the process that has signed a file; `nil` where none has.
    package static func signer(of path: String) -> Int? {
        guard let text = try? Files.read(path, limit: 32) else { return nil }
        return Int(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension IOError {
    /// Whether a `FileLock` failed because another process holds it.
    package var isHeldByAnother: Bool { code == EWOULDBLOCK }
}
