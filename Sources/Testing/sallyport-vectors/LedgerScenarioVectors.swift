import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import Postgres
import StrictJSON

/// What apps, the store and a merchant do one after the other, and what each account has behind every step.
enum LedgerScenarioVectors: VectorKind {
    static let fileName = "ledger-scenarios.json"

    static func judge(_ document: JSONValue, in folder: URL) async throws -> [VectorOutcome] {
        let file = try LedgerFile(document, in: folder)
        let settings = file.settings
        return try await VectorProgram.judging(
            scopes: "app_store:read,app_store:write",
            settings: { place in
                try Files.write(place + "/products.json", file.products.bytes)
                return settings.merging(["APP_STORE_PRODUCTS": place + "/products.json"]) { $1 }
            },
            { program in
                let bench = LedgerBench(program: program, file: file)
                var outcomes: [VectorOutcome] = []
                for scenario in document["scenarios"]?.elements ?? [] {
                    try await bench.begin()
                    for (index, step) in (scenario["steps"]?.elements ?? []).enumerated() {
                        outcomes.append(
                            VectorOutcome(
                                "\(scenario["id"]?.text ?? "") \(index + 1)",
                                found: try await bench.take(step, "\(scenario["id"]?.text ?? "")-\(index)"),
                                expected: (step["outcome"]?.text ?? "") + file.words { step["balance"]?[$0]?.integer }
                            )
                        )
                    }
                }
                return outcomes
            }
        )
    }
}

/// What a file says of all scenarios.
private struct LedgerFile: Sendable {
    let accounts: [(name: String, id: String)]
    let products: JSONValue
    let environment: String
    private let bundleID: String
    private let root: String

    init(_ document: JSONValue, in folder: URL) throws {
        let meta = document["meta"]
        guard let bundleID = meta?["bundleId"]?.text, let environment = meta?["environment"]?.text,
            let root = meta?["root"]?.text
        else { throw VectorError(description: "scenarios without bundle id, environment and root") }
        accounts = (meta?["accounts"]?.members ?? []).map { ($0.name, $0.value.text ?? "") }
        products = .object(
            (meta?["unitsPerProduct"]?.members ?? []).map { JSONMember($0.name, ["units": $0.value]) }
        )
        (self.bundleID, self.environment) = (bundleID, environment)
        // As the file names it, or beside the file.
        let places = [root, URL(fileURLWithPath: root).lastPathComponent].map { folder.appendingPathComponent($0).path }
        self.root = places.first { Files.exists($0) } ?? places[0]
    }

    /// Nobody answers for the certificates of vectors.
    var settings: [String: String] {
        [
            "APP_STORE_BUNDLE_ID": bundleID, "APP_STORE_ENVIRONMENTS": environment,
            "APP_STORE_ROOT_CERTIFICATES": root, "APP_STORE_REVOCATION": "off",
        ]
    }

    /// Balances in the order of the accounts.
    func words(_ balance: (String) -> Int?) -> String {
        accounts.map { " \($0.name)=\(balance($0.name).map { String($0) } ?? "none")" }.joined()
    }
}

/// A program that takes one scenario after the other.
private struct LedgerBench {
    let program: VectorProgram
    let file: LedgerFile

    /// Empty ledgers, and accounts whose apps pass the accounts' own ids.
    func begin() async throws {
        try program.admin.run(
            "TRUNCATE account, app_store_customer, app_store_ledger, app_store_entry, app_store_purchase, app_store_notification, app_store_consumption CASCADE"
        )
        for (name, id) in file.accounts {
            _ = try program.admin.rows(
                "INSERT INTO account (account_id, created_at, external_id) VALUES ($1::uuid, now(), $2)",
                [id, name]
            )
            let answer = try await program.order(
                "PUT",
                "/app-store/accounts/\(id)/customer",
                ["appAccountToken": .string(id)]
            )
            guard answer.status == 200 else { throw VectorError(description: "no token: \(answer.text)") }
        }
    }

    /// Takes a step; its outcome, and what each account has then.
    func take(_ step: JSONValue, _ word: String) async throws -> String {
        let outcome: String
        switch step["action"]?.text {
        case "app-submits": outcome = try await submit(step)
        case "app-submits-parallel": outcome = try await submitTogether(step)
        case "spend": outcome = try await spend(step, word)
        case "notification": outcome = try await notify(try text(step, "signedPayload"))
        default: throw VectorError(description: "an unknown action in \(word)")
        }
        var balances: [String: Int] = [:]
        for (name, id) in file.accounts {
            let path = "/app-store/accounts/\(id)/balance?environment=\(file.environment)"
            balances[name] = try JSONParser.parse(try await program.order("GET", path).body)["units"]?.integer
        }
        return outcome + file.words { balances[$0] }
    }

    private func submit(_ step: JSONValue) async throws -> String {
        let path = "/app-store/accounts/\(try account(step))/transactions"
        let answer = try await program.order("POST", path, ["signedTransaction": .string(try text(step, "jws"))])
        return answer.status == 200 ? try JSONParser.parse(answer.body)["outcome"]?.text ?? "" : "refused"
    }

    private func submitTogether(_ step: JSONValue) async throws -> String {
        let times = step["times"]?.integer ?? 0
        let outcomes = try await inParallel(program.reactor, Array(0..<times)) { _ in try await submit(step) }
        let granted = outcomes.count { $0 == "granted" }
        let isOnce = granted == 1 && outcomes.count { $0 == "duplicate" } == times - 1
        return isOnce ? "granted-once" : "granted \(granted) times"
    }

    private func spend(_ step: JSONValue, _ word: String) async throws -> String {
        let path = "/app-store/accounts/\(try account(step))/spend"
        let units: JSONValue = ["units": JSONValue(step["units"]?.integer ?? 0)]
        return try await program.order("POST", path, units, word: word).status == 200 ? "spent" : "refused"
    }

    private func notify(_ payload: String) async throws -> String {
        let (kept, changed) = (try count("app_store_notification"), try changes())
        let fields = [("Content-Type", "application/json")]
        let body: JSONValue = ["signedPayload": .string(payload)]
        let answer = try await program.ask("POST", "/app-store/notifications", fields, body: body.description)
        guard answer.status == 200 else { return "refused" }
        if try count("app_store_notification") == kept { return "duplicate" }
        let last = "SELECT outcome FROM app_store_notification ORDER BY received_at DESC LIMIT 1"
        if try program.admin.rows(last).first?.first == "stored" { return "stored" }
        return try changes() == changed ? "no-change" : "applied"
    }

    /// Differs where the ledger or what is known of a purchase does.
    private func changes() throws -> [String?] {
        let known = "SELECT concat_ws(' ', count(*), count(revoked_at), sum(granted)) FROM app_store_purchase"
        return [try count("app_store_entry"), try program.admin.rows(known).first?.first ?? nil]
    }

    private func count(_ table: String) throws -> String? {
        try program.admin.rows("SELECT count(*) FROM \(table)").first?.first ?? nil
    }

    private func account(_ step: JSONValue) throws -> String {
        guard let found = file.accounts.first(where: { $0.name == step["account"]?.text }) else {
            throw VectorError(description: "a step of an unknown account")
        }
        return found.id
    }

    private func text(_ step: JSONValue, _ name: String) throws -> String {
        guard let text = step[name]?.text else { throw VectorError(description: "a step without \(name)") }
        return text
    }
}
