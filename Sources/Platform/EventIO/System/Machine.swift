import Glibc

/// What the machine gives this process.
package enum Machine {
    /// How many processors are there for use, at least 1.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// How many descriptors the process may have open.
    ///
    /// - Throws: `IOError`.
    package static func descriptorLimit() throws(IOError) -> Int {
        Int(clamping: try limits().rlim_cur)
    }

    /// Raises the number of descriptors the process may have open to what it may raise it to.
    ///
    /// - Throws: `IOError`.
    @discardableResult
    package static func raiseDescriptorLimit() throws(IOError) -> Int {
        var limit = try limits()
        limit.rlim_cur = limit.rlim_max
        try systemCall("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many descriptors the process has open.
    ///
    /// - Returns: Without the one that counts.
    /// - Throws: `IOError`.
    package static func openDescriptorCount() throws(IOError) -> Int {
        try Files.list("/proc/self/fd").count - 1
    }

    /// What the process's open descriptors stand for: paths, or the kernel's names such as `socket:[123]`.
    ///
    /// - Returns: One for each descriptor that was not closed meanwhile.
    /// - Throws: `IOError`.
    package static func openPaths() throws(IOError) -> [String] {
        var paths: [String] = []
        for descriptor in try Files.list("/proc/self/fd") {
            if let path = Files.target(ofLink: "/proc/self/fd/" + descriptor) { paths.append(path) }
        }
        return paths
    }

    /// How many threads the process has.
    ///
    /// - Returns: At least 1.
    /// - Throws: `IOError`.
    package static func threadCount() throws(IOError) -> Int {
        try Files.list("/proc/self/task").count
    }

    /// The names of the process's threads, sorted, each cut to 15 bytes by the kernel.
    ///
    /// - Returns: One for each thread that did not end meanwhile.
    /// - Throws: `IOError`.
    package static func threadNames() throws(IOError) -> [String] {
        var names: [String] = []
        for thread in try Files.list("/proc/self/task") {
            if let name = try threadName(thread) { names.append(name) }
        }
        return names.sorted()
    }

    private static func threadName(_ thread: String) throws(IOError) -> String? {
        do {
            let bytes = try Files.read("/proc/self/task/\(thread)/comm")
            return String(decoding: bytes.dropLast(), as: UTF8.self)
        } catch {
            guard error.code == ENOENT || error.code == ESRCH else { throw error }
            return nil
        }
    }

    private static func limits() throws(IOError) -> rlimit {
        var limit = rlimit()
        try systemCall("getrlimit") { unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        return limit
    }
}
