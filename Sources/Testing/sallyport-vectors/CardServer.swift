import Cryptography
import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import WalletPass

/// `sallyport serve` with cards and nothing else, on a database of its own; its certificate is that of the vectors.
struct CardServer {
    /// A member's card.
    struct Card {
        let serial: String
        let token: String
    }

    /// The type of the cards.
    static let passType = "pass.com.example.sallyport.member"
    /// What paths of phones begin with.
    static let base = "/wallet"

    private let client: TestClient
    private let key: String
    private let judge: PassJudge
    /// For what no request can set or show.
    let admin: PostgresAdmin

    private static let web = "https://localhost:8443"

    /// Starts a server, judges cases with it, and ends it.
    ///
    /// - Parameter vectors: A folder with `pki`.
    static func judging(
        _ vectors: URL,
        _ body: @escaping @Sendable (CardServer) async throws -> [VectorOutcome]
    ) async throws -> [VectorOutcome] {
        let database = try TestDatabase.ofProgram()
        let folder = try ProcessFolder.makeFolder("vectors")
        defer { try? Files.removeTree(folder) }
        let environment = try environment(vectors, folder, database)
        let root = try X509Certificate.list(Array(Data(contentsOf: vectors.appendingPathComponent("pki/root.pem"))))
        return try await withLoop { reactor in
            let maker = try RunningProgram(
                ["keys", "create", "--name", "vectors", "--scopes", "wallet:write"],
                environment: environment,
                logPath: folder + "/key",
                on: reactor
            )
            guard try await maker.process.exit(on: reactor) == .code(0) else {
                throw VectorError(description: maker.log)
            }
            let server = try await ServerProcess.start(environment, logPath: folder + "/log", on: reactor)
            defer { server.program.destroy() }
            let hosts = HostTable([web: [server.url]])
            return try await body(
                CardServer(
                    client: TestClient(hosts, home: web),
                    key: maker.log.filter { !$0.isNewline },
                    judge: PassJudge(trust: root),
                    admin: try database.admin()
                )
            )
        }
    }

    private static func environment(
        _ vectors: URL,
        _ folder: String,
        _ database: TestDatabase
    ) throws -> [String: String] {
        let certificates = folder + "/certificates"
        try Files.makeDirectory(certificates)
        let files = [
            ("pass-member.pem", "\(passType).pem"), ("pass-member.key.pem", "\(passType).key"),
            ("wwdr-test.pem", "intermediate.pem"),
        ]
        for (source, name) in files {
            let bytes = try Data(contentsOf: vectors.appendingPathComponent("pki/" + source))
            try Files.write("\(certificates)/\(name)", Array(bytes), mode: 0o600)
        }
        try Files.write(folder + "/secret", KernelRandom().bytes(32), mode: 0o600)
        let settings = [
            "LISTEN": "", "CLEAR_LISTEN": "127.0.0.1:0", "ADMIN_LISTEN": "127.0.0.1:0", "WEB_BASE_URL": web,
            "LOOPS": "1", "LOG_LEVEL": "info", "LOG_FORMAT": "json", "DATA_DIR": folder,
            "DATABASE_URL": database.serviceURL.reveal(), "PUBLIC_DIR": ProjectFolder.path("public"),
            "MERCHANT_SECRET_FILE": folder + "/secret", "WALLET_CERTIFICATES": certificates,
            "WALLET_TEMPLATES": ProjectFolder.path("examples/wallet/templates"),
        ]
        return Dictionary(settings.map { ("SALLYPORT_" + $0.key, $0.value) }) { first, _ in first }
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

    /// Makes a member, and reads the card behind the link as a phone does.
    func member(_ name: String) async throws -> Card {
        let content: JSONValue = ["externalId": .string(name), "name": "山田 花子"]
        let fields = [
            ("Authorization", "Bearer \(key)"), ("Content-Type", "application/json"), ("Idempotency-Key", name),
        ]
        let made = try await ask("POST", "/v1/wallet/members", fields, body: content.description)
        guard made.status == 201, let member = try? JSONParser.parse(made.body),
            let serial = member["serialNumber"]?.text, let link = member["walletUrl"]?.text
        else {
            throw VectorError(description: "no member: \(made.status) \(String(decoding: made.body, as: UTF8.self))")
        }
        let file = try await ask("GET", link)
        let verdict = judge.judge(file.body, at: SystemClock().now())
        guard verdict.isConforming, let token = verdict.pass?.pass["authenticationToken"]?.text else {
            throw VectorError(description: "no card: \(file.status) \(verdict.findings.map(\.description))")
        }
        return Card(serial: serial, token: token)
    }

    /// The path of a registration.
    func registration(_ device: String, _ serial: String, of type: String = CardServer.passType) -> String {
        "\(Self.base)/v1/devices/\(device)/registrations/\(type)/\(serial)"
    }

    /// What phones show for a card.
    static func authorization(_ token: String) -> (String, String) { ("Authorization", "ApplePass \(token)") }
}
