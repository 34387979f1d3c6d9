import Glibc

extension Files {
    /// The absolute path of what exists, without symbolic links.
    ///
    /// - Parameter path: Relative to the working directory unless it starts with a slash.
    /// - Returns: A path that starts with a slash and ends without one.
    /// - Throws: `IOError`: `notFound` and others.
    package static func resolved(_ path: String) throws(IOError) -> String {
        guard let text = unsafe realpath(path, nil) else { throw IOError(code: errno, operation: "realpath") }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
