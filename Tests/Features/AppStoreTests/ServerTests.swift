import AppStoreTransactions
import Cryptography
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import Primitives
import StrictJSON
import TestKit
import Testing
import Web

@testable import AppStore

@Suite struct `Apple's server` {
    /// A purchase of the vectors, which names its account.
    private static let account = UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01") ?? UUIDBytes(high: 0, low: 0)
    private static let id = "2000000510011002"

    private static var text: String {
        LedgerScenario.all.first?.steps.first?["jws"]?.text ?? ""
    }

    @Test func `is asked for the text of an id, with one token for many calls`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            for _ in 0..<2 { apple.answer(200, #"{"signedTransactionInfo":"\#(Self.text)"}"#) }
            #expect(await shop.submit(id: Self.id, Self.account).outcome == "granted")
            #expect(await shop.submit(id: Self.id, Self.account).outcome == "duplicate")
            let urls = Set(apple.requests.map(\.url))
            #expect(urls == ["https://apple.example/inApps/v1/transactions/\(Self.id)"])
            #expect(Set(apple.requests.compactMap(\.authorization)).count == 1)
        }
    }

    @Test func `has a token refused once, and then the key`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            apple.answer(401)
            apple.answer(200, #"{"signedTransactionInfo":"\#(Self.text)"}"#)
            #expect(await shop.submit(id: Self.id, Self.account).outcome == "granted")
            #expect(Set(apple.requests.compactMap(\.authorization)).count == 2)
            apple.answer(401)
            apple.answer(401)
            let refused = await shop.submit(id: Self.id, Self.account)
            #expect(refused == Submitted(outcome: "app_store_unavailable", finish: false))
            #expect(shop.program.log.lines(with: "app_store.key_refused").count == 1)
        }
    }

    @Test func `is left alone until the time that it has named, in milliseconds`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            let later = SystemClock().now() + .seconds(600)
            apple.answer(429, #"{"errorCode":4290000}"#, fields: [("retry-after", String(later.microseconds / 1_000))])
            for _ in 0..<2 {
                let refused = await shop.submit(id: Self.id, Self.account)
                #expect(refused == Submitted(outcome: "app_store_unavailable", finish: false))
            }
            #expect(apple.requests.count == 1)
        }
    }

    @Test func `says which ids there are`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            apple.answer(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
            let unknown = await shop.submit(id: Self.id, Self.account)
            #expect(unknown == Submitted(outcome: "transaction_unknown", finish: false))
        }
    }

    @Test func `is not believed when it answers with another purchase`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            apple.answer(200, #"{"signedTransactionInfo":"\#(Self.text)"}"#)
            #expect(await shop.submit(id: "1", Self.account).outcome == "signed_text_refused")
        }
    }

    /// Ids can be guessed, and purchases without a token are whose they are shown for.
    @Test func `gives an app nothing for the id of a purchase that names nobody`() async throws {
        let nameless = LedgerScenario.all.first { $0.id == "no-token" }?.steps.first?["jws"]?.text ?? ""
        try await withApple { shop, apple in
            try await shop.open(Self.account)
            apple.answer(200, #"{"signedTransactionInfo":"\#(nameless)"}"#)
            let refused = await shop.submit(id: "2000000510011007", Self.account)
            #expect(refused == Submitted(outcome: "signed_text_needed", finish: false))
            #expect(await shop.submit(nameless, Self.account).outcome == "granted")
        }
    }

    @Test func `is asked so often by the apps of one account, and no more`() async throws {
        try await withApple(["app_store.lookup_rate": "2"]) { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            for _ in 0..<2 { apple.answer(404, #"{"errorCode":4040010}"#) }
            for _ in 0..<2 { _ = await shop.submit(id: Self.id, Self.account) }
            #expect(await shop.submit(id: Self.id, Self.account).outcome == "rate_limited")
        }
    }

    @Test func `has a text that is too old asked for again`() async throws {
        try await withApple(["app_store.submission_age": "24h"]) { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            apple.answer(200, #"{"signedTransactionInfo":"\#(Self.text)"}"#)
            #expect(await shop.submit(Self.text, Self.account).outcome == "granted")
            #expect(apple.requests.count == 1)
        }
    }

    @Test func `has what it could not deliver taken from page to page, once`() async throws {
        let payloads =
            LedgerScenario.all.first { $0.id == "refund" }?.steps.compactMap { $0["signedPayload"]?.text } ?? []
        let bought = LedgerScenario.all.first { $0.id == "refund" }?.steps.first?["jws"]?.text ?? ""
        try #require(payloads.count == 3)
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(bought, Self.account).outcome == "granted")
            func page(_ payload: String, _ rest: String) {
                apple.answer(
                    200,
                    #"{"notificationHistory":[{"signedPayload":"\#(payload)","sendAttempts":[]}],\#(rest)}"#
                )
            }
            page(payloads[0], #""hasMore":true,"paginationToken":"a""#)
            page(payloads[1], #""hasMore":false"#)
            #expect(try await shop.part.readHistory(of: .sandbox, since: nil) == 1)
            #expect(try await shop.balance(Self.account, in: .sandbox) == 0)
            #expect(
                apple.requests.map(\.url).last
                    == "https://apple.example/inApps/v1/notifications/history?paginationToken=a"
            )
            #expect(apple.requests[0].body == apple.requests[1].body)
        }
    }

    @Test func `is told what was used, with the customer's consent alone`() async throws {
        let steps = LedgerScenario.all.first { $0.id == "consumption-request" }?.steps ?? []
        let (bought, asked) = (steps.first?["jws"]?.text ?? "", steps.last?["signedPayload"]?.text ?? "")
        try await withApple(["app_store.refund_preference": "prorate"]) { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(bought, Self.account).outcome == "granted")
            #expect(try await shop.notify(asked) == 200)
            // The request of the vectors is a year old.
            try shop.admin.run("UPDATE app_store_consumption SET ends_at = now() + interval '1 hour'")
            try await shop.part.answerConsumption()
            #expect(try shop.admin.rows("SELECT state, attempts FROM app_store_consumption") == [["open", "0"]])
            _ = try await shop.part.setConsent(Self.account, true)
            #expect(await shop.spend(1, Self.account, in: .sandbox) == nil)
            apple.answer(202)
            try await shop.part.answerConsumption()
            #expect(
                try shop.admin.rows("SELECT state, percentage, detail FROM app_store_consumption") == [
                    ["sent", "100000", "DECLINE"]
                ]
            )
            let body = try JSONParser.parse(apple.requests.last?.body ?? [])
            #expect(body["consumptionPercentage"]?.integer == 100_000 && body["customerConsented"]?.flag == true)
            #expect(body["deliveryStatus"]?.text == "DELIVERED" && body["refundPreference"]?.text == "DECLINE")
        }
    }

    @Test(arguments: [("no_consent", false), ("late", true)])
    func `is told nothing behind its twelve hours`(state: String, isAgreed: Bool) async throws {
        let steps = LedgerScenario.all.first { $0.id == "consumption-request" }?.steps ?? []
        let (bought, asked) = (steps.first?["jws"]?.text ?? "", steps.last?["signedPayload"]?.text ?? "")
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(bought, Self.account).outcome == "granted")
            #expect(try await shop.notify(asked) == 200)
            if isAgreed { _ = try await shop.part.setConsent(Self.account, true) }
            // The request of the vectors is a year old.
            try await shop.part.answerConsumption()
            #expect(try shop.admin.rows("SELECT state FROM app_store_consumption") == [[state]])
            _ = try await shop.part.setConsent(Self.account, true)
            try await shop.part.answerConsumption()
            #expect(apple.requests.isEmpty)
        }
    }

    @Test func `is told by states that the table knows`() throws {
        let file = try Files.read(ProjectFolder.path("migrations/appstore/0003_consumption.sql"))
        let words = ConsumptionState.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        #expect(String(decoding: file, as: UTF8.self).contains("CHECK (state IN (\(words)))"))
    }
}

extension OutboundRequest {
    fileprivate var authorization: String? { fields.first { $0.0 == "Authorization" }?.1 }
}

extension AppStoreFixture {
    /// Shows the id of a purchase, as an app does.
    fileprivate func submit(id: String, _ account: UUIDBytes) async -> Submitted {
        await submit(Submission(evidence: .id(id), device: nil, account: account, isOfApp: true))
    }
}

/// Runs a body with purchases, and Apple's server in a script.
func withApple(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (AppStoreFixture, ScriptedExchange) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/key.p8", try ES256PrivateKey.generatePEM().reveal(), mode: 0o600)
        var texts = [
            "app_store.private_key": "\(folder)/key.p8", "app_store.issuer_id": "57246542-0000-4000-8000-0824d0110720",
            "app_store.key_id": "SP2X9R4HXF", "app_store.sandbox_url": "https://apple.example",
            // The texts of the vectors are of last year.
            "app_store.submission_age": "87600h",
        ]
        texts.merge(settings) { $1 }
        try await withAppStore(texts, apple: { ScriptedExchange() }) { shop in
            guard let script = shop.part.server?.exchange as? ScriptedExchange else {
                throw FixtureError(description: "no script")
            }
            try await body(shop, script)
            #expect(script.complaints.isEmpty)
        }
    }
}
