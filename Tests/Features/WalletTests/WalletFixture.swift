import Accounts
import Cryptography
import EventIO
import FeatureTestKit
import HTTPCore
import HTTPServer
import Pages
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import Settings
import StrictJSON
import Telemetry
import TestKit
import Web
import Webhooks

@testable import Wallet

/// Passes on one loop, on a database of its own: a request goes the whole way from the router to the tables and back.
final class WalletFixture {
    static let host = "shop.example"
    static let passType = "pass.com.example.sallyport.member"
    static let eventType = "pass.com.example.sallyport.event"
    static let base = "/wallet"

    let part: WalletPart
    let process: WalletProcess
    let admin: PostgresAdmin
    let folder: String
    private let router: Router
    private var lastNumber: UInt64 = 0

    fileprivate init(
        _ part: WalletPart,
        _ process: WalletProcess,
        _ admin: PostgresAdmin,
        _ folder: String,
        _ router: Router
    ) {
        self.part = part
        self.process = process
        self.admin = admin
        self.folder = folder
        self.router = router
    }

    /// Answers a request; one whose content is larger than its route takes is refused as a connection does it.
    func ask(
        _ method: HTTPMethod,
        _ target: String,
        host: String = WalletFixture.host,
        token: String? = nil,
        fields: [(HTTPFieldName, String)] = [],
        body: [UInt8] = []
    ) async throws -> Reply {
        var all: [(name: HTTPFieldName, value: String)] = [(.host, host)]
        if let token { all.append((.authorization, "ApplePass \(token)")) }
        all += fields.map { ($0.0, $0.1) }
        guard let request = HTTPRequest(method, target, fields: all, body: body) else {
            throw FixtureError(description: "\(target): no protocol takes this request")
        }
        lastNumber += 1
        request.serialNumber = lastNumber
        if let limit = router.bodyLimit(for: request), body.count > limit {
            return Reply(router.refusal(of: request, with: .payloadTooLarge) ?? HTTPResponse(.payloadTooLarge))
        }
        switch router.handle(request) {
        case .now(let response): return Reply(response)
        case .precomposed(let answer): return Reply(answer.response)
        case .later(let work): return Reply(try await work())
        }
    }

    /// A member with a pass, and what opens it.
    func member(_ name: String = "m-1") async throws -> Card {
        let (pass, answer) = try await part.issue(MemberDraft(externalID: name, name: "山田 花子"))
        guard let serial = pass.serial, let token = part.secrets.token(of: serial, Self.passType, secret: 1),
            let link = answer.content["walletUrl"]?.text
        else { throw FixtureError(description: "no card") }
        return Card(account: pass.account, serial: serial, token: token.reveal(), link: link)
    }

    /// Changes points, under a word of its own.
    func change(_ card: Card, _ change: PointsChange) async throws(Failure) -> PointsResult {
        lastNumber += 1
        return try await self.change(card.account, change, word: "\(lastNumber)")
    }

    /// Changes points, under a word.
    func change(_ account: UUIDBytes, _ change: PointsChange, word: String) async throws(Failure) -> PointsResult {
        guard let word = IdempotencyWord(word) else { throw Failure(.internalError) }
        let zero = UUIDBytes(high: 0, low: 0)
        let claim = IdempotencyClaim(
            scope: zero,
            key: zero,
            word: word,
            fingerprint: RequestFingerprint(SHA256.digest(of: Array("\(change)".utf8)))
        )
        guard let result = try await part.change(account, change, claim) else { throw Failure(.idempotencyKeyReused) }
        return result
    }

    /// Registers a phone.
    @discardableResult
    func register(_ device: String, _ card: Card, pushToken: String = "aa11") async throws -> Reply {
        try await ask(
            .post,
            card.registration(device),
            token: card.token,
            body: Array(#"{"pushToken":"\#(pushToken)"}"#.utf8)
        )
    }

    /// What a phone is told of its passes of the type.
    func list(_ device: String, since tag: String? = nil) async throws -> Listed? {
        let query = tag.map { "?passesUpdatedSince=" + $0 } ?? ""
        let reply = try await ask(.get, "\(Self.base)/v1/devices/\(device)/registrations/\(Self.passType)\(query)")
        if reply.status == 204 { return nil }
        guard reply.status == 200, let value = try? JSONParser.parse(reply.body), let tag = value["lastUpdated"]?.text
        else {
            throw FixtureError(description: "no list: \(reply.status)")
        }
        return Listed(serials: Set(value["serialNumbers"]?.elements.compactMap(\.text) ?? []), tag: tag)
    }

    /// The newest version of a pass.
    func fetch(_ card: Card, fields: [(HTTPFieldName, String)] = [], method: HTTPMethod = .get) async throws -> Reply {
        try await ask(method, card.path, token: card.token, fields: fields)
    }
}

/// A member's card as a test knows it.
struct Card: Sendable {
    let account: UUIDBytes
    let serial: String
    let token: String
    let link: String

    var path: String { "\(WalletFixture.base)/v1/passes/\(WalletFixture.passType)/\(serial)" }

    func registration(_ device: String) -> String {
        "\(WalletFixture.base)/v1/devices/\(device)/registrations/\(WalletFixture.passType)/\(serial)"
    }

    /// Path and query of the link.
    var linkTarget: String { String(link.dropFirst("https://\(WalletFixture.host)".count)) }
}

struct Listed: Equatable {
    let serials: Set<String>
    let tag: String
}

/// The answer to a request.
struct Reply {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    init(_ response: HTTPResponse) {
        status = response.status.code
        fields = (response.block.fields + response.fields).map { ($0.name.text, $0.value) }
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
    }

    subscript(name: HTTPFieldName) -> String? { fields.first { $0.name == name.text }?.value }
}

struct FixtureError: Error, CustomStringConvertible {
    let description: String
}

/// Runs a body with passes on a database of its own.
func withWallet(
    _ settings: [String: String] = [:],
    database: TestDatabase? = nil,
    log: CapturedLog = CapturedLog(),
    _ body: @escaping @Sendable (WalletFixture) async throws -> Void
) async throws {
    await gate.enter()
    defer { gate.leave() }
    let database = try database ?? walletDatabase()
    try await withTemporaryFolder { folder in
        try WalletFolders.fill(folder)
        let (running, process) = try start(settings, folder, log)
        defer {
            running.stop()
            process.workers.stop()
        }
        var configuration = try PostgresConfiguration(url: database.serviceURL)
        configuration.maximumPending = 20_000
        configuration.maximumQueueWait = .seconds(60)
        configuration.maximumPendingAge = .seconds(60)
        configuration.lockTimeout = .seconds(30)
        configuration.statementTimeout = .seconds(60)
        configuration.answerTimeout = .seconds(90)
        let settings = configuration
        try await withLoop { reactor in
            let client = PostgresClient(reactor: reactor, configuration: settings, logger: .silent)
            client.start()
            defer { client.close() }
            try await client.waitUntilReady(within: TestDatabase.patience)
            try await body(try await open(running, process, client, reactor, try database.admin(), folder))
        }
    }
}

/// For all tests of passes.
let gate = DatabaseGate(width: 8)

/// A database with the tables of passes.
func walletDatabase() throws -> TestDatabase {
    try TestDatabase(
        migrations: ProjectFolder.path("migrations"),
        features: ["core", "service", "webhooks", "accounts", "wallet"]
    )
}

private func start(
    _ settings: [String: String],
    _ folder: String,
    _ log: CapturedLog
) throws -> (RunningFeatures, ProcessContext) {
    var texts = [
        "public_dir": ProjectFolder.path("public"), "merchant.secret_file": "\(folder)/secret",
        "wallet.templates": "\(folder)/templates", "wallet.certificates": "\(folder)/certificates",
    ]
    texts.merge(settings) { $1 }
    var environment: [String: String] = [:]
    for (name, text) in texts { environment["SALLYPORT_" + name.uppercased().replacing(".", with: "_")] = text }
    var reader = SettingReader(SettingSource(file: nil, environment: environment))
    let site = SiteSettings(&reader)
    let features = FeatureSet([ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self, WalletFeature.self])
    let configured = features.configured(&reader)
    let problems = reader.problems(of: .everything)
    guard problems.isEmpty, let web = WebOrigin("https://" + WalletFixture.host),
        let link = WebOrigin("https://l.example")
    else { throw FixtureError(description: problems.joined(separator: "; ")) }
    var process = ProcessContext(
        features,
        version: "1",
        web: web,
        link: link,
        headers: HeaderPolicy(includesSubdomains: true),
        assets: try site.assets([]),
        logger: log.logger(),
        metrics: MetricsRegistry()
    )
    process.shopName = site.shopName
    return (try configured.start(process), process)
}

private func open(
    _ running: RunningFeatures,
    _ process: ProcessContext,
    _ client: PostgresClient,
    _ reactor: Reactor,
    _ admin: PostgresAdmin,
    _ folder: String
) async throws -> WalletFixture {
    let loop = LoopContext(reactor, database: client, headers: process.headers, logger: .silent)
    let part = SitePart(process)
    part.offer(on: loop)
    try await running.prepare(loop)
    let parts = try running.open(loop)
    let site = Site(
        .web,
        host: Array(process.web.authority.utf8),
        fallback: .page,
        formats: loop.formats,
        headFields: process.headers.redirect
    )
    var routes = try Routes([site] + parts.sites)
    try parts.mount(&routes)
    guard let wallet = parts.first(WalletPart.self) else { throw FixtureError(description: "no part") }
    return WalletFixture(
        wallet,
        wallet.process,
        admin,
        folder,
        Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
    )
}

/// Templates, certificates and keys as an operator keeps them.
enum WalletFolders {
    static let vectors = ProjectFolder.vectors("WalletTests", on: "Features")

    static func fill(_ folder: String) throws {
        try Files.write("\(folder)/secret", Array(("1 " + String(repeating: "5a", count: 32) + "\n").utf8), mode: 0o600)
        for part in [
            "templates", "templates/member", "templates/member/en.lproj", "templates/member/ja.lproj", "certificates",
        ] {
            try Files.makeDirectory("\(folder)/\(part)")
        }
        for part in ["", "/en.lproj", "/ja.lproj"] {
            let path = "templates/member" + part
            for name in try Files.list("\(vectors)/\(path)") where !name.hasSuffix(".lproj") {
                try Files.write("\(folder)/\(path)/\(name)", try Files.read("\(vectors)/\(path)/\(name)"), mode: 0o600)
            }
        }
        try put("pass-member.pem", as: "\(WalletFixture.passType).pem", folder)
        try put("pass-member.key.pem", as: "\(WalletFixture.passType).key", folder)
        try put("wwdr-test.pem", as: "intermediate.pem", folder)
    }

    /// Adds a template and a certificate of another type of pass.
    static func addEvent(_ folder: String) throws {
        let (from, to) = ("\(folder)/templates/member", "\(folder)/templates/event")
        for part in ["", "/en.lproj", "/ja.lproj"] {
            try Files.makeDirectory(to + part)
            for name in try Files.list(from + part) where !name.hasSuffix(".lproj") {
                try Files.write("\(to)\(part)/\(name)", try Files.read("\(from)\(part)/\(name)"), mode: 0o600)
            }
        }
        let text = String(decoding: try Files.read("\(to)/pass.json"), as: UTF8.self)
        try Files.write(
            "\(to)/pass.json",
            Array(text.replacing(WalletFixture.passType, with: WalletFixture.eventType).utf8),
            mode: 0o600
        )
        try put("pass-event.pem", as: "\(WalletFixture.eventType).pem", folder)
        try put("pass-event.key.pem", as: "\(WalletFixture.eventType).key", folder)
    }

    /// Puts a file of the vectors among the certificates.
    static func put(_ vector: String, as name: String, _ folder: String) throws {
        try Files.write("\(folder)/certificates/\(name)", try Files.read("\(vectors)/pki/\(vector)"), mode: 0o600)
    }
}
