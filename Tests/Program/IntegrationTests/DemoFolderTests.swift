import EventIO
import Foundation
import IntegrationKit
import Primitives
import TestKit
import Testing

/// What a demo and the commands of another terminal share: its data directory.
@Suite("The folder of a demo", .tags(.database, .slow), .serialized)
struct DemoFolderTests {
    private static let root = ProjectFolder.path

    @Test(.enabled(if: Files.exists("/usr/bin/curl"), "curl is not installed"))
    func `shows each step of a purchase once, and tells the commands of another terminal all that they need`()
        async throws
    {
        try await withDemo { demo in
            try await demo.buy()
            var session = ""
            let steps = ["issued", "opened", "reviewed", "placed", "returned"].map { "session.\($0)" }
            for event in steps + ["purchase.authorized"] {
                let lines = demo.lines.filter { $0.contains("\"\(event)\"") && $0.contains("\"info\"") }
                #expect(lines.count == 1, "\(event): \(lines)")
                let named = text(of: "webview_session", in: lines.first ?? "")
                #expect(!named.isEmpty && (session.isEmpty || named == session), "\(event) of \(named)")
                session = named
            }
            #expect(demo.lines.filter { $0.contains("\"simulator.call\"") }.isEmpty)

            let audit = try await demo.command("audit", session)
            #expect(audit.exit == .code(0) && audit.output.contains("\"authorized\""), "\(audit.output)")
            let books = try await demo.command("reconcile", "--rate", "1000")
            #expect(books.exit == .code(0), "\(books.output)")
            let key = try await demo.command("keys", "create", "--name", "shop", "--scopes", "sessions:read")
            #expect(key.exit == .code(0) && !key.output.isEmpty, "\(key.output)")
            var doctor = try await demo.command("doctor", "--online")
            // It waits three seconds for an answer, and a busy machine may take longer.
            for _ in 0..<3 where doctor.exit != .code(0) { doctor = try await demo.command("doctor", "--online") }
            #expect(doctor.exit == .code(0), "\(doctor.output)")
            #expect(doctor.output.contains("these are the settings of the demo in ./var\n"), "\(doctor.output)")
            let printed = try await demo.command("doctor", "--print-config")
            #expect(printed.output.contains("provider.api_url = \(demo.simulator)\n"), "\(printed.output)")
        }
    }

    @Test func `belongs to one demo, and the next is refused with the number of the first`() async throws {
        try await withDemo { demo in
            let other = try await demo.command("demo", with: demo.environment)
            #expect(other.exit == .code(1))
            let said =
                "sallyport: data_dir: a demo (process \(demo.program.process.pid)) runs on ./var: stop it; or set"
            #expect(other.output.contains(said), "\(other.output)")
            #expect(!other.output.contains("cluster."), "it touches nothing")
        }
    }

    @Test func `leads to the database that the demo was given`() async throws {
        try await withDemo(withOwnDatabase: true) { demo in
            let made = try await demo.command("keys", "create", "--name", "of-the-demo", "--scopes", "sessions:read")
            #expect(made.exit == .code(0), "\(made.output)")
            let listed = try await demo.shop.runCommand(["keys", "list"])
            #expect(listed.output.contains("of-the-demo"), "\(listed.output)")
            #expect(!Files.exists(demo.shop.folder + "/var/postgres"))
        }
    }

    // MARK: Parts

    /// A demo on ports of its own.
    private struct Demo {
        let shop: ProcessShop
        let program: RunningProgram
        let environment: [String: String]
        let web: String
        let simulator: String

        /// The whole lines of its log.
        var lines: [Substring] { program.log.split(separator: "\n") }

        /// Runs a command in the folder where the demo was started, without a single variable unless some are given.
        func command(
            _ words: String...,
            with environment: [String: String] = [:]
        ) async throws -> (exit: ChildProcess.Exit, output: String) {
            let log = "\(shop.folder)/command.\(UInt64.random(in: 0 ... .max)).log"
            let program = try RunningProgram(words, environment: environment, logPath: log, on: shop.reactor)
            defer { program.destroy() }
            return (try await program.process.exit(on: shop.reactor), program.log)
        }

        /// A whole purchase.
        func buy() async throws {
            let authority = shop.folder + "/var/development/authority.pem"
            let environment = ["PATH": "/usr/bin:/bin", "CA": authority, "WEB": web, "SIM": simulator]
            let script = DemoFolderTests.root + "/scripts/walkthrough"
            let run = try await ChildPlan(script, ["iosApp"], environment: environment).start().exit(on: shop.reactor)
            try #require(run == .code(0))
            _ = try await program.line(with: "\"purchase.authorized\"")
        }
    }

    private func withDemo(
        withOwnDatabase: Bool = false,
        _ body: @escaping @Sendable (Demo) async throws -> Void
    ) async throws {
        try await withProcessShop { shop in
            try Files.setPermissions(shop.folder, mode: 0o711)
            let (web, simulator) = (try freePort(), try freePort())
            var environment = [
                "SALLYPORT_LISTEN": "127.0.0.1:\(web)",
                "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:\(try freePort())",
                "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:\(simulator)",
                "SALLYPORT_LOOPS": "1",
                "SALLYPORT_LOG_FORMAT": "json",
            ]
            if withOwnDatabase { environment["SALLYPORT_DATABASE_URL"] = shop.databaseURL.reveal() }
            let log = shop.folder + "/demo.log"
            let program = try RunningProgram(["demo"], environment: environment, logPath: log, on: shop.reactor)
            defer { program.destroy() }
            _ = try await program.line(with: "ready https://")
            let demo = Demo(
                shop: shop,
                program: program,
                environment: environment,
                web: "https://localhost:\(web)",
                simulator: "https://localhost:\(simulator)"
            )
            try await body(demo)
            #expect(try await program.end(.interrupt) == .code(0))
        }
    }

    private func text(of name: String, in line: some StringProtocol) -> String {
        guard let range = line.firstRange(of: "\"\(name)\":\"") else { return "" }
        return String(line[range.upperBound...].prefix { $0 != "\"" })
    }
}
