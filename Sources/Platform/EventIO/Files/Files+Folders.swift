import Glibc

extension Files {
    /// What a path names.
    package enum Kind: Sendable, Equatable {
        /// An ordinary file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, whatever it points to.
        case link
        /// A socket, a pipe or a device.
        case other
    }

    /// What a path names, or `nil` where there is nothing.
    ///
    /// - Parameter path: A symbolic link at its end is not followed.
    /// - Throws: `IOError`, for example when a folder on the way may not be searched.
    package static func kind(_ path: String) throws(IOError) -> Kind? {
        guard let record = try status(path) else { return nil }
        return switch record.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }

    /// Whether a path names anything.
    ///
    /// - Parameter path: A symbolic link at its end is not followed.
    /// - Returns: False also where the way there may not be searched.
    package static func exists(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// The size of a file in bytes.
    ///
    /// - Parameter path: A symbolic link at its end is not followed.
    /// - Returns: Zero or more.
    /// - Throws: `IOError`: `notFound` and others.
    package static func size(_ path: String) throws(IOError) -> Int {
        guard let record = try status(path) else { throw IOError(code: IOError.notFound, operation: "lstat") }
        return record.st_size
    }

    /// The permissions and the owner of a file or folder.
    ///
    /// - Parameter path: A symbolic link at its end is not followed.
    /// - Returns: The permission bits, for example 0o600, and the owner.
    /// - Throws: `IOError`: `notFound` and others.
    package static func permissions(_ path: String) throws(IOError) -> (mode: UInt32, owner: SystemUser) {
        guard let record = try status(path) else { throw IOError(code: IOError.notFound, operation: "lstat") }
        return (record.st_mode & 0o7777, SystemUser(id: record.st_uid, groupID: record.st_gid))
    }

    /// The permissions of what a path leads to.
    ///
    /// - Parameter path: Symbolic links are followed, as when it is opened.
    /// - Returns: For example 0o600.
    /// - Throws: `IOError`; also where there is nothing.
    package static func targetMode(_ path: String) throws(IOError) -> UInt32 {
        guard let mode = try followedMode(path) else { throw IOError(code: IOError.notFound, operation: "stat") }
        return mode & 0o7777
    }

    /// Replaces the permissions of a file or folder.
    ///
    /// - Parameters:
    ///   - mode: For example 0o600.
    /// - Throws: `IOError`.
    package static func setPermissions(_ path: String, mode: UInt32) throws(IOError) {
        try systemCall("chmod") { unsafe chmod(path, mode) }
    }

    /// Gives a file or folder to another user; only the superuser may.
    ///
    /// - Parameters:
    ///   - path: A symbolic link at its end is changed itself.
    /// - Throws: `IOError`.
    package static func setOwner(_ path: String, _ owner: SystemUser) throws(IOError) {
        try systemCall("lchown") { unsafe lchown(path, owner.id, owner.groupID) }
    }

    /// Makes a folder, with those above it.
    ///
    /// - Parameters:
    ///   - path: One that exists is fine and keeps its permissions.
    ///   - mode: The permissions of each new folder, for example 0o700.
    /// - Throws: `IOError`, `exists` when something else has the name.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(IOError) {
        guard try followedKind(path) != S_IFDIR else { return }
        let above = parent(of: path)
        if above != path, !exists(above) { try makeDirectory(above, mode: mode) }
        do {
            try systemCall("mkdir") { unsafe mkdir(path, mode) }
        } catch {
            // Another process may have made it meanwhile.
            guard error.code == IOError.exists, try followedKind(path) == S_IFDIR else { throw error }
        }
    }

    /// Makes a new folder with a random end of its name.
    ///
    /// - Parameter prefix: The path up to the random part.
    /// - Returns: The whole path; mode 0700.
    /// - Throws: `IOError`.
    package static func makeTemporaryDirectory(prefix: String) throws(IOError) -> String {
        var name = Array((prefix + "XXXXXX").utf8CString)
        guard unsafe mkdtemp(&name) != nil else { throw IOError(code: errno, operation: "mkdtemp") }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder, sorted, without `.` and `..`.
    ///
    /// - Returns: Names without the path.
    /// - Throws: `IOError`: `notFound` and others.
    package static func list(_ path: String) throws(IOError) -> [String] {
        guard let folder = unsafe opendir(path) else { throw IOError(code: errno, operation: "opendir") }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            // Up to its NUL only: an entry is as long as its name, and the last may end where the buffer does.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw IOError(code: errno, operation: "readdir") }
        return names.sorted()
    }

    /// Where a symbolic link points to, or `nil` where there is none.
    ///
    /// - Returns: At most 4095 bytes of it.
    package static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func status(_ path: String) throws(IOError) -> stat? {
        var record = stat()
        if unsafe lstat(path, &record) == 0 { return record }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw IOError(code: errno, operation: "lstat")
    }

    private static func followedKind(_ path: String) throws(IOError) -> UInt32? {
        try followedMode(path).map { $0 & S_IFMT }
    }

    private static func followedMode(_ path: String) throws(IOError) -> UInt32? {
        var record = stat()
        if unsafe stat(path, &record) == 0 { return record.st_mode }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw IOError(code: errno, operation: "stat")
    }
}
