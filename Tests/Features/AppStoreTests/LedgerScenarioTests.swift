import AppStoreTransactions
import EventIO
import Postgres
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppStore

/// A scenario of the vectors: steps, and the balances behind each.
struct LedgerScenario: Sendable, CustomTestStringConvertible {
    let id: String
    let steps: [JSONValue]

    var testDescription: String { id }

    static let file =
        (try? JSONParser.parse(
            (try? Files.read(
                ProjectFolder.vectors("AppStoreTests", on: "Features") + "/app-store/ledger-scenarios.json"
            )) ?? []
        )) ?? .null

    static let all = (file["scenarios"]?.elements ?? []).map { scenario in
        LedgerScenario(id: scenario["id"]?.text ?? "", steps: scenario["steps"]?.elements ?? [])
    }

    /// The notifications of a scenario, in its order.
    static func notifications(of id: String) -> [String] {
        all.first { $0.id.octets == id.octets }?.steps.compactMap { $0["signedPayload"]?.text } ?? []
    }

    /// The accounts, which have their own ids as tokens.
    static let accounts = (file["meta"]?["accounts"]?.members ?? []).compactMap { member in
        member.value.text.flatMap { UUIDBytes($0) }.map { (name: member.name, id: $0) }
    }

    static func account(_ name: String?) throws -> UUIDBytes {
        guard let found = accounts.first(where: { $0.name == name }) else {
            throw FixtureError(description: "no account \(name ?? "")")
        }
        return found.id
    }
}

@Suite struct `Scenarios of the ledger` {
    @Test func `are all there`() {
        #expect(LedgerScenario.all.count == 19)
        #expect(LedgerScenario.accounts.count == 2)
    }

    @Test(arguments: LedgerScenario.all)
    func `end each step with the outcome and the balances that the vectors have`(
        _ scenario: LedgerScenario
    ) async throws {
        try await withAppStore { shop in
            for account in LedgerScenario.accounts { try await shop.open(account.id, token: account.id) }
            for (index, step) in scenario.steps.enumerated() {
                let outcome = try await shop.take(step)
                #expect(outcome == step["outcome"]?.text, "step \(index)")
                for (name, id) in LedgerScenario.accounts {
                    let expected = step["balance"]?[name]?.integer
                    #expect(try await shop.balance(id, in: .sandbox) == expected, "step \(index), account \(name)")
                }
                #expect(try shop.falseSums().isEmpty)
            }
        }
    }
}

extension AppStoreFixture {
    /// Takes a step; its outcome in the words of the vectors.
    fileprivate func take(_ step: JSONValue) async throws -> String {
        switch step["action"]?.text {
        case "app-submits":
            return words(await submit(try text(step, "jws"), try LedgerScenario.account(step["account"]?.text)))
        case "app-submits-parallel": return try await takeTogether(step)
        case "spend":
            let account = try LedgerScenario.account(step["account"]?.text)
            let refusal = await spend(Int64(step["units"]?.integer ?? 0), account, in: .sandbox)
            return refusal == nil ? "spent" : "refused"
        case "notification": return try await takeNotification(try text(step, "signedPayload"))
        default: throw FixtureError(description: "an unknown action")
        }
    }

    private func takeTogether(_ step: JSONValue) async throws -> String {
        let (text, account) = (try text(step, "jws"), try LedgerScenario.account(step["account"]?.text))
        let times = step["times"]?.integer ?? 0
        let outcomes = await submitTogether(text, account, times: times).map(\.outcome)
        let granted = outcomes.count { $0 == "granted" }
        let duplicates = outcomes.count { $0 == "duplicate" }
        return granted == 1 && duplicates == times - 1 ? "granted-once" : "\(outcomes)"
    }

    private func takeNotification(_ payload: String) async throws -> String {
        let before = try admin.rows("SELECT count(*) FROM app_store_notification")
        let changes = try changeCount()
        guard try await notify(payload) == 200 else { return "refused" }
        if try admin.rows("SELECT count(*) FROM app_store_notification") == before { return "duplicate" }
        let last = "SELECT outcome FROM app_store_notification ORDER BY received_at DESC LIMIT 1"
        switch try admin.rows(last).first?.first {
        case "stored": return "stored"
        case "none", "refused": return "no-change"
        default: return try changeCount() == changes ? "no-change" : "applied"
        }
    }

    /// Differs where the ledger or what is known of a purchase does.
    private func changeCount() throws -> [[String?]] {
        try admin.rows(
            "SELECT (SELECT count(*) FROM app_store_entry), count(*), count(revoked_at), sum(granted) FROM app_store_purchase"
        )
    }

    private func words(_ submitted: Submitted) -> String {
        ["granted", "duplicate"].contains(submitted.outcome) ? submitted.outcome : "refused"
    }

    private func text(_ step: JSONValue, _ name: String) throws -> String {
        guard let text = step[name]?.text else { throw FixtureError(description: "no \(name)") }
        return text
    }
}
