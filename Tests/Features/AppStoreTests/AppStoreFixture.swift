import Accounts
import AppStoreTransactions
import Cryptography
import EventIO
import FeatureTestKit
import Foundation
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import TestKit
import Web
import Webhooks

@testable import AppStore

/// Purchases on one loop and a database, as an app, a shop's program and the App Store meet them.
struct AppStoreFixture {
    let program: StoredProgram
    let part: AppStorePart

    var admin: PostgresAdmin { program.admin }

    /// Opens an account whose app passes a token.
    func open(_ account: UUIDBytes, token: UUIDBytes? = nil) async throws {
        try admin.run(
            "INSERT INTO account (account_id, created_at, external_id) VALUES ('\(account)', now(), '\(account)')"
        )
        if let token { _ = try await part.token(of: account, wanted: token) }
    }

    /// Hands in a text for an account; the outcome, or the code of the refusal.
    func submit(_ text: String, _ account: UUIDBytes, device: UUIDBytes? = nil) async -> Submitted {
        await submit(Submission(evidence: .text(text), device: device, account: account, isOfApp: true))
    }

    /// Hands a purchase in; the outcome, or the code of the refusal.
    func submit(_ submission: Submission) async -> Submitted {
        do throws(Failure) {
            let answer = try await part.submit(submission, at: SystemClock().now())
            return Submitted(outcome: answer["outcome"]?.text ?? "", finish: answer["finish"]?.flag)
        } catch {
            let context = error.context as? SubmissionContext
            return Submitted(outcome: error.code.name, finish: context?.finish, reason: context?.reason)
        }
    }

    /// Hands in a text for an account many times at once.
    func submitTogether(_ text: String, _ account: UUIDBytes, times: Int) async -> [Submitted] {
        let results = SubmissionList()
        for _ in 0..<times {
            part.loop.reactor.startTask { results.all.append(await self.submit(text, account)) }
        }
        _ = await waitUntil(part.loop.reactor) { results.all.count == times }
        return results.all
    }

    /// Sends a notification; the status of the answer.
    func notify(_ payload: String) async throws -> Int {
        try await program.ask(.post, "/app-store/notifications", json: #"{"signedPayload":"\#(payload)"}"#).status
    }

    /// Spends units under a word of its own; the code of the refusal, or nothing.
    func spend(_ units: Int64, _ account: UUIDBytes, in environment: AppStoreEnvironment) async -> String? {
        let order = LedgerOrder(
            account: account,
            environment: environment,
            kind: .spend,
            units: -units,
            reference: nil
        )
        do throws(Failure) {
            _ = try await part.change(order, TestClaim.fresh())
            return nil
        } catch {
            return error.code.name
        }
    }

    /// What an account has.
    func balance(_ account: UUIDBytes, in environment: AppStoreEnvironment) async throws -> Int? {
        let json = try JSONParser.parse(try await part.balance(of: account, in: environment))
        return json["units"]?.integer
    }

    /// Ledgers whose sum is not that of their entries, or whose entries are not numbered without a gap.
    func falseSums() throws -> [[String?]] {
        try admin.rows(
            """
            SELECT l.ledger_id FROM app_store_ledger AS l LEFT JOIN app_store_entry AS e USING (ledger_id)
            GROUP BY l.ledger_id
            HAVING l.units <> coalesce(sum(e.units), 0) OR l.entries <> count(e) OR l.entries <> coalesce(max(e.sequence), 0)
                OR coalesce((array_agg(e.balance ORDER BY e.sequence DESC))[1], 0) <> l.units
            """
        )
    }
}

/// What became of a submission.
struct Submitted: Equatable {
    let outcome: String
    let finish: Bool?
    var reason: String?
}

/// Grows while submissions are on their way.
private final class SubmissionList {
    var all: [Submitted] = []
}

/// Claims of requests that are no one else's.
enum TestClaim {
    static func fresh() throws(Failure) -> IdempotencyClaim { try claim(UUID().uuidString) }

    static func claim(_ text: String) throws(Failure) -> IdempotencyClaim {
        guard let word = IdempotencyWord(text) else { throw Failure(.internalError) }
        let zero = UUIDBytes(high: 0, low: 0)
        return IdempotencyClaim(
            scope: zero,
            key: zero,
            word: word,
            fingerprint: RequestFingerprint(SHA256.digest(of: Array(text.utf8)))
        )
    }
}

/// For all tests of purchases.
let gate = DatabaseGate(width: 6)

/// A database with the tables of purchases.
func appStoreDatabase() throws -> TestDatabase {
    try TestDatabase(
        migrations: ProjectFolder.path("migrations"),
        features: ["core", "service", "webhooks", "accounts", "appstore"]
    )
}

/// Runs a body with purchases.
///
/// - Parameters:
///   - settings: Beside those of the vectors, or in their place.
///   - products: The file of the products.
///   - apple: Makes what stands in the place of Apple's server.
func withAppStore(
    _ settings: [String: String] = [:],
    products: String = #"{"consumable.ticket.1":{"units":1},"consumable.ticket.10":{"units":10},"premium":{}}"#,
    database: TestDatabase? = nil,
    apple: (@Sendable () -> any HTTPExchange)? = nil,
    _ body: @escaping @Sendable (AppStoreFixture) async throws -> Void
) async throws {
    let database = try database ?? appStoreDatabase()
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/products.json", Array(products.utf8))
        var texts = [
            "app_store.bundle_id": "jp.example.sallyport.tickets", "app_store.environments": "Sandbox",
            "app_store.root_certificates": ProjectFolder.vectors("AppStoreTests", on: "Features")
                + "/app-store/root.der",
            "app_store.products": "\(folder)/products.json",
        ]
        texts.merge(settings) { $1 }
        let features = FeatureSet([
            ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self, AppStoreFeature.self,
        ])
        try await StoredProgram.run(features, texts, database, gate: gate, exchange: apple) { program in
            guard let part = program.parts.first(AppStorePart.self) else { throw FixtureError(description: "no part") }
            try await body(AppStoreFixture(program: program, part: part))
        }
    }
}

struct FixtureError: Error, CustomStringConvertible {
    let description: String
}
