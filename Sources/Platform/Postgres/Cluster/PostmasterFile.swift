/// `postmaster.pid`: how a server marks its data folder as taken.
struct PostmasterFile: Equatable {
    private var lines: [String]

    /// The file with a content, or `nil` for one that a server never writes.
    init?(_ content: String) {
        lines = content.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.first, let number = Int32(first), number > 0 else { return nil }
        process = number
    }

    /// The server's process, which may be gone, or its number be another's now.
    let process: Int32

    /// The same file with a number that no process can have.
    ///
    /// A server that starts takes a living process of that number for a server and gives up. The other lines must stay: from
    /// them it finds out whether a server process is left that still uses the memory of the dead server.
    var withoutProcess: String {
        (["2147483646"] + lines.dropFirst()).joined(separator: "\n")
    }

    /// Whether a process is a PostgreSQL server on a data folder.
    ///
    /// - Parameters:
    ///   - commandLine: The content of `/proc/N/cmdline`: arguments with a NUL behind each.
    ///   - data: The folder that the server was started with.
    /// - Returns: True for the server itself, and for a process of it that has not set its title yet.
    static func isServer(commandLine: [UInt8], data: String) -> Bool {
        let arguments = commandLine.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let program = arguments.first, program.hasSuffix("/postgres") else { return false }
        return zip(arguments, arguments.dropFirst()).contains { $0 == "-D" && $1 == data }
    }
}
