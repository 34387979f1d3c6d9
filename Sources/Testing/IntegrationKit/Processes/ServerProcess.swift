package import EventIO

/// `sallyport serve` as a process, on a clear listener of a port that the kernel chooses.
///
/// It believes that it is `https://localhost:8443`, as behind a balancer that ends TLS.
package final class ServerProcess {
    /// The program.
    package let program: RunningProgram
    /// Where it listens, without a slash at the end: over TLS, if it has such a listener.
    package let url: String
    /// Addresses and ports of its listeners, that of TLS first.
    package let addresses: [String]
    /// Where its administration listens.
    package let adminURL: String
    /// What it takes itself for.
    package static let host = "localhost:8443"

    private init(_ program: RunningProgram, _ addresses: [String], isSecure: Bool, adminURL: String) {
        self.program = program
        self.addresses = addresses
        url = (isSecure ? "https://" : "http://") + addresses[0]
        self.adminURL = adminURL
    }

    /// Starts a server with some environment variables, and waits until it is ready.
    ///
    /// - Parameter user: Whom it runs as, with leave of the system to write cores; `nil` for the tests' own.
    /// - Throws: `ProgramFailure` with the end of its log.
    package static func start(
        _ settings: [String: String],
        logPath: String,
        on reactor: Reactor,
        as user: SystemUser? = nil
    ) async throws -> ServerProcess {
        let program = try RunningProgram(["serve"], environment: settings, logPath: logPath, on: reactor, as: user)
        do {
            let line = try await program.line(with: "\"server.ready\"")
            let addresses = text(of: "listeners", in: line)?.split(separator: " ").map(String.init) ?? []
            guard !addresses.isEmpty, let admin = text(of: "admin", in: line) else {
                throw ProgramFailure("no addresses in \(line)")
            }
            let isSecure = settings["SALLYPORT_LISTEN"]?.isEmpty == false
            return ServerProcess(program, addresses, isSecure: isSecure, adminURL: "http://\(admin)")
        } catch {
            program.destroy()
            throw error
        }
    }

    /// The text of a member of a log line.
    private static func text(of name: String, in line: String) -> String? {
        let start = "\"\(name)\":\""
        guard let range = line.firstRange(of: start) else { return nil }
        return String(line[range.upperBound...].prefix { $0 != "\"" })
    }
}
