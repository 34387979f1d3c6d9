package import EventIO

/// `sallyport serve` as a process, on a clear listener of a port that the kernel chooses.
///
/// It believes that it is `https://localhost:8443`, as behind a balancer that ends TLS.
package final class ServerProcess {
    /// The program.
    package let program: RunningProgram
    /// Where it listens, without a slash at the end.
    package let url: String
    /// Where its administration listens.
    package let adminURL: String
    /// What it takes itself for.
    package static let host = "localhost:8443"

    private init(_ program: RunningProgram, url: String, adminURL: String) {
        self.program = program
        self.url = url
        self.adminURL = adminURL
    }

    /// The settings of all servers of the tests.
    ///
    /// - Parameters:
    ///   - database: libpq URI with the current schema.
    ///   - folder: The test's own.
    /// - Returns: Environment variables.
    package static func settings(database: String, folder: String) -> [String: String] {
        [
            "SALLYPORT_LISTEN": "",
            "SALLYPORT_CLEAR_LISTEN": "127.0.0.1:0",
            "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:0",
            "SALLYPORT_WEB_BASE_URL": "https://\(host)",
            "SALLYPORT_LINK_BASE_URL": "https://links.localhost:8443",
            "SALLYPORT_DATABASE_URL": database,
            "SALLYPORT_DATA_DIR": folder + "/var",
            "SALLYPORT_LOOPS": "1",
            "SALLYPORT_LOG_LEVEL": "info",
            "SALLYPORT_LIMITS_ISSUE_PER_MINUTE": "1000000",
            "SALLYPORT_LIMITS_UNKNOWN_PER_MINUTE": "1000000",
            "SALLYPORT_MERCHANT_REQUESTS_PER_MINUTE": "1000000",
            "SALLYPORT_LIMITS_CONNECTIONS_PER_ADDRESS": "10000",
            // A slow machine is no overload.
            "SALLYPORT_LIMITS_QUEUE_WAIT_MS": "5000",
            "SALLYPORT_LIMITS_HANDSHAKE_DEADLINE": "60s",
            "SALLYPORT_APPS_IOS": #"[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]"#,
        ]
    }

    /// Starts a server and waits until it is ready.
    ///
    /// - Parameters:
    ///   - settings: Environment variables.
    ///   - logPath: A file that is not there yet.
    ///   - reactor: The loop of the caller.
    ///   - user: Whom it runs as, with leave of the system to write cores; `nil` for the tests' own.
    /// - Returns: The server.
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
            guard let address = text(of: "listeners", in: line), let admin = text(of: "admin", in: line) else {
                throw ProgramFailure("no addresses in \(line)")
            }
            let scheme = settings["SALLYPORT_LISTEN"]?.isEmpty == false ? "https" : "http"
            return ServerProcess(program, url: "\(scheme)://\(address)", adminURL: "http://\(admin)")
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
