import EventIO
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit

/// `sallyport serve` on a database of its own, with what a kind of vectors needs and nothing else.
struct VectorProgram {
    /// For what no request can set or show.
    let admin: PostgresAdmin
    /// Of the program's loop.
    let reactor: Reactor
    private let client: TestClient
    private let key: String

    private static let web = "https://localhost:8443"

    /// Starts a program, judges cases with it, and ends it.
    ///
    /// - Parameters:
    ///   - scopes: What the key opens with which `/v1` is asked.
    ///   - settings: Those of the kind, whose files may lie in the given folder.
    static func judging(
        scopes: String,
        settings: (_ folder: String) throws -> [String: String],
        _ body: @escaping @Sendable (VectorProgram) async throws -> [VectorOutcome]
    ) async throws -> [VectorOutcome] {
        let database = try TestDatabase.ofProgram()
        let folder = try ProcessFolder.makeFolder("vectors")
        defer { try? Files.removeTree(folder) }
        try Files.write(folder + "/secret", KernelRandom().bytes(32), mode: 0o600)
        let all = [
            "LISTEN": "", "CLEAR_LISTEN": "127.0.0.1:0", "ADMIN_LISTEN": "127.0.0.1:0", "WEB_BASE_URL": web,
            "LOOPS": "1", "LOG_LEVEL": "info", "LOG_FORMAT": "json", "DATA_DIR": folder,
            "DATABASE_URL": database.serviceURL.reveal(), "PUBLIC_DIR": ProjectFolder.path("public"),
            "MERCHANT_SECRET_FILE": folder + "/secret",
        ].merging(try settings(folder)) { $1 }
        let environment = Dictionary(all.map { ("SALLYPORT_" + $0.key, $0.value) }) { first, _ in first }
        return try await withLoop { reactor in
            let maker = try RunningProgram(
                ["keys", "create", "--name", "vectors", "--scopes", scopes],
                environment: environment,
                logPath: folder + "/key",
                on: reactor
            )
            guard try await maker.process.exit(on: reactor) == .code(0) else {
                throw VectorError(description: maker.log)
            }
            let server = try await ServerProcess.start(environment, logPath: folder + "/log", on: reactor)
            defer { server.program.destroy() }
            return try await body(
                VectorProgram(
                    admin: try database.admin(),
                    reactor: reactor,
                    client: TestClient(HostTable([web: [server.url]]), home: web),
                    key: maker.log.filter { !$0.isNewline }
                )
            )
        }
    }

    /// Puts a request to it, the path as it stands.
    func ask(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = [],
        body: String = ""
    ) async throws -> InboundResponse {
        try await client.send(method, target, fields: fields, body: Array(body.utf8)).response
    }

    /// Asks `/v1` as a merchant's program.
    ///
    /// - Parameter word: The value of `Idempotency-Key`.
    func order(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        word: String? = nil
    ) async throws -> InboundResponse {
        var fields = [("Authorization", "Bearer \(key)")]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        if let word { fields.append(("Idempotency-Key", word)) }
        return try await ask(method, "/v1" + path, fields, body: body?.description ?? "")
    }
}
