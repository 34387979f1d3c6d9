import EventIO
import HTTPClient
import IntegrationKit
import Testing

/// Real processes and another TLS client than ours: OpenSSL's own.
@Suite("TLS of several processes", .tags(.database, .slow))
struct TLSProcessTests {
    enum Version: String, CaseIterable, Sendable {
        case tls12 = "-tls1_2"
        case tls13 = "-tls1_3"

        var name: String { self == .tls12 ? "TLSv1.2" : "TLSv1.3" }
    }

    @Test(arguments: Version.allCases)
    func `a client resumes on another process that has the same ticket secret`(version: Version) async throws {
        try await TLSProcessTests.withSecureShop { shop in
            try Files.write(shop.folder + "/ticket.secret", Array(repeating: 7, count: 48), mode: 0o600)
            shop.settings["SALLYPORT_TLS_TICKET_SECRET"] = shop.folder + "/ticket.secret"
            let servers = try await shop.start(2)
            let ticket = shop.folder + "/ticket.pem"
            let first = try shop.connect(servers[0], [version.rawValue, "-sess_out", ticket])
            #expect(first.contains("New, \(version.name)"))
            for server in servers.reversed() {
                let next = try shop.connect(server, [version.rawValue, "-sess_in", ticket])
                #expect(next.contains("Reused, \(version.name)"))
                #expect(next.contains("HTTP/1.1 200"))
            }
        }
    }

    @Test(arguments: Version.allCases)
    func `a client makes a full handshake with a process that has another one`(version: Version) async throws {
        try await TLSProcessTests.withSecureShop { shop in
            let servers = try await shop.start(2)
            let ticket = shop.folder + "/ticket.pem"
            _ = try shop.connect(servers[0], [version.rawValue, "-sess_out", ticket])
            let stranger = try shop.connect(servers[1], [version.rawValue, "-sess_in", ticket])
            #expect(stranger.contains("New, \(version.name)"))
            #expect(stranger.contains("HTTP/1.1 200"))
            #expect(try shop.connect(servers[0], [version.rawValue, "-sess_in", ticket]).contains("Reused, "))
        }
    }

    @Test(arguments: Version.allCases)
    func `each client is shown a certificate that it can check`(version: Version) async throws {
        try await TLSProcessTests.withSecureShop { shop in
            try shop.makeRSACertificate()
            shop.settings["SALLYPORT_TLS_SECOND_CERTIFICATE"] = shop.folder + "/rsa.pem"
            shop.settings["SALLYPORT_TLS_SECOND_KEY"] = shop.folder + "/rsa.key"
            let server = try await shop.startServer()
            let rsa = "RSA-PSS+SHA256:RSA+SHA256"
            let offers = [("ECDSA+SHA256", "ECDSA"), (rsa, "RSA"), ("\(rsa):ECDSA+SHA256", "ECDSA")]
            for (signatures, kind) in offers {
                let answer = try shop.connect(server, [version.rawValue, "-sigalgs", signatures])
                #expect(answer.contains("Peer signature type: \(kind)"), "\(signatures)")
                #expect(answer.contains("HTTP/1.1 200"))
            }
            // A reload reads both again.
            try Files.write(shop.folder + "/rsa.key", Array("nonsense".utf8), mode: 0o600)
            try server.program.process.send(.hangUp)
            _ = try await server.program.line(with: "server.certificate_refused")
            #expect(try shop.connect(server, [version.rawValue, "-sigalgs", rsa]).contains("Peer signature type: RSA"))
        }
    }

    @Test func `no client can have its keys made anew`() async throws {
        try await TLSProcessTests.withSecureShop { shop in
            let server = try await shop.startServer()
            // A line that begins with R makes OpenSSL's client ask for it.
            let answer = try shop.connect(server, ["-tls1_2"], sending: "R\\n")
            #expect(answer.contains("no renegotiation"))
        }
    }

    @Test func `a second certificate of the same kind stops the start`() async throws {
        try await TLSProcessTests.withSecureShop { shop in
            let keys = try TestKeys.get()
            shop.settings["SALLYPORT_TLS_SECOND_CERTIFICATE"] = keys.certificatePath
            shop.settings["SALLYPORT_TLS_SECOND_KEY"] = keys.keyPath
            let failure = await #expect(throws: ProgramFailure.self) { _ = try await shop.startServer() }
            #expect(failure?.description.contains("has a key of the same kind as") == true)
        }
    }

    private static func withSecureShop(_ body: @escaping @Sendable (ProcessShop) async throws -> Void) async throws {
        // Over TLS; what the client below speaks there is its own affair.
        try await withProcessShop(over: .http2, body)
    }
}

extension ProcessShop {
    /// Asks for a page with OpenSSL's client and returns all that it says.
    fileprivate func connect(
        _ server: ServerProcess,
        _ options: [String],
        sending text: String? = nil
    ) throws -> String {
        let address = server.url.dropFirst("https://".count)
        let request = "GET /error HTTP/1.1\\r\\nHost: \(ServerProcess.host)\\r\\nConnection: close\\r\\n\\r\\n"
        var words = ["s_client", "-connect", String(address), "-servername", "localhost"] + options
        if text == nil { words.append("-ign_eof") }
        let command = "printf '\(text ?? request)' | exec /usr/bin/openssl \"$@\""
        var plan = ChildPlan("/bin/sh", ["-c", command, "sh"] + words)
        plan.deathSignal = .kill
        let result = try plan.run(atMost: .seconds(120))
        return String(decoding: result.output, as: UTF8.self)
    }

    /// Makes a certificate with an RSA key that signs itself.
    fileprivate func makeRSACertificate() throws {
        let words = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "30",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", folder + "/rsa.key", "-out", folder + "/rsa.pem",
        ]
        let result = try ChildPlan("/usr/bin/openssl", words).run(atMost: .seconds(120))
        try #require(result.exit.isSuccess)
    }
}
