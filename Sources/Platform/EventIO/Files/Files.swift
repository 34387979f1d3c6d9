import Glibc

/// Files and folders, by path.
///
/// Every call blocks: use it at the start, on a worker, or in tools, not on a loop that serves.
package enum Files {
    /// The content of a file.
    ///
    /// - Parameters:
    ///   - path: Relative to the working directory unless it starts with a slash.
    ///   - limit: The most bytes that are accepted.
    /// - Returns: All bytes.
    /// - Throws: `IOError`: `notFound`, `tooLarge` beyond the limit, and others.
    package static func read(_ path: String, limit: Int = 16 << 20) throws(IOError) -> [UInt8] {
        let file = try open(path, O_RDONLY)
        let raw = file.raw
        let room = limit == .max ? limit : limit + 1
        let bytes = try unsafe read(limit: room) { buffer, _ in unsafe Glibc.read(raw, buffer.baseAddress, buffer.count)
        }
        guard bytes.count <= limit else { throw IOError(code: IOError.tooLarge, operation: "read") }
        return bytes
    }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - path: Where to; an existing file is replaced.
    ///   - mode: The permissions of a new file, for example 0o600.
    ///   - atomically: Whether a reader, also after a crash, sees the old content or the new one and nothing between.
    /// - Throws: `IOError`.
    package static func write(
        _ path: String,
        _ bytes: [UInt8],
        mode: UInt32 = 0o600,
        atomically: Bool = true
    ) throws(IOError) {
        guard atomically else {
            return try write(bytes, to: open(path, O_WRONLY | O_CREAT | O_TRUNC, mode))
        }
        let draft = "\(path).\(getpid()).new"
        do {
            let file = try open(draft, O_WRONLY | O_CREAT | O_EXCL, mode)
            let raw = file.raw
            try write(bytes, to: file)
            try systemCall("fsync") { fsync(raw) }
            try systemCall("rename") { unsafe rename(draft, path) }
        } catch {
            // The failure that is thrown is the one that counts; a draft left behind only takes room.
            unsafe unlink(draft)
            throw error
        }
        let folder = try open(parent(of: path), O_RDONLY | O_DIRECTORY)
        let raw = folder.raw
        try systemCall("fsync") { fsync(raw) }
    }

    /// Adds bytes to the end of a file, which is made where it is missing.
    ///
    /// - Throws: `IOError`.
    package static func append(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(IOError) {
        try write(bytes, to: open(path, O_WRONLY | O_CREAT | O_APPEND, mode))
    }

    /// Removes a file or an empty folder.
    ///
    /// - Throws: `IOError`: `notFound` and others.
    package static func remove(_ path: String) throws(IOError) {
        try systemCall("remove") { unsafe Glibc.remove(path) }
    }

    /// Removes a folder with everything in it; symbolic links are removed, not followed.
    ///
    /// - Parameter path: What to remove; one that does not exist is fine.
    /// - Throws: `IOError`.
    package static func removeTree(_ path: String) throws(IOError) {
        guard let kind = try kind(path) else { return }
        if kind == .folder {
            for name in try list(path) { try removeTree(path + "/" + name) }
        }
        try remove(path)
    }

    /// Renames a file or folder within one file system, replacing a file of that name.
    ///
    /// - Throws: `IOError`.
    package static func move(_ old: String, to new: String) throws(IOError) {
        try systemCall("rename") { unsafe rename(old, new) }
    }

    /// The part of a path before its last slash: `.` without one.
    ///
    /// - Parameter path: Any path.
    /// - Returns: A path.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Parts

    static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) throws(IOError) -> Descriptor {
        Descriptor(owning: try systemCall("open") { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// Reads to the end or to a limit.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to read.
    ///   - call: Reads into the buffer at an offset; -1 for failure.
    /// - Returns: What was there, at most the limit.
    /// - Throws: `IOError`.
    static func read(
        limit: Int,
        _ call: (UnsafeMutableRawBufferPointer, Int) -> Int
    ) throws(IOError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let wanted = min(piece.count, limit - bytes.count)
            let got = try systemCall("read") {
                unsafe piece.withUnsafeMutableBytes { buffer in
                    unsafe call(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), bytes.count)
                }
            }
            if got == 0 { break }
            bytes.append(contentsOf: piece[..<got])
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to file: borrowing Descriptor) throws(IOError) {
        let raw = file.raw
        var done = 0
        while done < bytes.count {
            done += try systemCall("write") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(raw, $0.baseAddress?.advanced(by: done), $0.count - done)
                }
            }
        }
    }
}
