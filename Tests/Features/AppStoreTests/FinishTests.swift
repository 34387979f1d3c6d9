import AppStoreTransactions
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing
import Webhooks

@testable import AppStore

@Suite struct `Finishing by the server` {
    private static let account = UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01") ?? UUIDBytes(high: 0, low: 0)
    private static let finishing = ["app_store.finish": "true"]

    private static var text: String { LedgerScenario.all.first?.steps.first?["jws"]?.text ?? "" }

    @Test func `tells Apple of what was granted, again for as long as it is not heard`() async throws {
        try await withApple(Self.finishing) { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(Self.text, Self.account).outcome == "granted")
            #expect(apple.requests.isEmpty, "nothing is finished before the commit")
            let event = try #require(try shop.granted().first)
            for _ in 0..<2 { apple.answer(401) }
            await #expect(throws: ServerAPIProblem.credentials) { try await shop.part.finish(event) }
            for _ in 0..<2 {
                apple.answer(200)
                try await shop.part.finish(event)
            }
            let id = event.data["transactionId"]?.text ?? ""
            let urls = Set(apple.requests.map { "\($0.method) \($0.url)" })
            #expect(urls == ["POST https://apple.example/inApps/v1/transactions/\(id)/finish"])
        }
    }

    @Test func `ends where Apple refuses it, and a week later`() async throws {
        try await withApple(Self.finishing) { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(Self.text, Self.account).outcome == "granted")
            let event = try #require(try shop.granted().first)
            apple.answer(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
            try await shop.part.finish(event)
            for _ in 0..<2 { apple.answer(401) }
            try await shop.part.finish(try #require(try shop.granted(ago: AppStorePart.finishAge).first))
            #expect(shop.program.log.lines(with: "app_store.not_finished").count == 2)
        }
    }

    @Test func `is off unless it is switched on`() async throws {
        try await withApple { shop, apple in
            try await shop.open(Self.account, token: Self.account)
            #expect(await shop.submit(Self.text, Self.account).outcome == "granted")
            try await shop.part.finish(try #require(try shop.granted().first))
            #expect(apple.requests.isEmpty)
        }
    }

    @Test func `needs a key`() async throws {
        await #expect(throws: (any Error).self) { try await withAppStore(Self.finishing) { _ in } }
    }

    @Test func `ends the way of a purchase to the app at the simulated App Store`() async throws {
        try await withSimulatedStore(Self.finishing) { bench in
            try await bench.shop.open(Self.account, token: Self.account)
            let bought = try await bench.buy(Self.account)
            let path = "/purchases/\(bought.id)"
            #expect(try await bench.control("GET", path)["finished"] == false)
            #expect(await bench.shop.submit(bought.text, Self.account).outcome == "granted")
            try await bench.shop.part.finish(try #require(try bench.shop.granted().first))
            #expect(try await bench.control("GET", path)["finished"] == true)
            #expect(try await bench.calls("finishTransaction") == 1)
        }
    }
}

extension AppStoreFixture {
    /// The events of purchases that were granted, as subscribers get them.
    fileprivate func granted(ago: Duration = .zero) throws -> [WebhookEvent] {
        try admin.rows(
            "SELECT event_id, subject_id, sequence, data FROM event WHERE type = 'app_store.purchase.granted'"
        )
        .compactMap { row -> WebhookEvent? in
            guard let id = row[0].flatMap({ UUIDBytes($0) }), let subject = row[1].flatMap({ UUIDBytes($0) }) else {
                return nil
            }
            return WebhookEvent(
                id: id,
                type: "app_store.purchase.granted",
                subject: EventSubject("purchase", subject),
                sequence: Int64(row[2] ?? "") ?? 0,
                at: part.loop.reactor.wallNow + (Duration.zero - ago),
                data: try JSONParser.parse(Array((row[3] ?? "").utf8))
            )
        }
    }
}
