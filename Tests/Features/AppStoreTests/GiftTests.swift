import AppStoreTransactions
import EventIO
import FeatureTestKit
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing
import Webhooks

@testable import AppStore

@Suite struct `A gift of DeviceCheck` {
    private static let account = UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01") ?? UUIDBytes(high: 0, low: 0)
    private static let gifts = ["app_store.gifts": "free-trial=1,ticket-gift=3"]

    private static func event(_ purpose: String, _ account: UUIDBytes = account) -> WebhookEvent {
        WebhookEvent(
            id: UUIDBytes(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max)),
            type: "device_check.claim.granted",
            subject: EventSubject("device_account", account),
            sequence: 1,
            at: SystemClock().now(),
            data: ["accountId": .string(account.description), "purpose": .string(purpose)]
        )
    }

    @Test func `is in the ledger once for each purpose, however often it is told`() async throws {
        try await withAppStore(Self.gifts) { shop in
            try await shop.open(Self.account)
            for _ in 0..<3 { try await shop.part.give(Self.event("ticket-gift")) }
            try await shop.part.give(Self.event("free-trial"))
            try await shop.part.give(Self.event("ranking"))
            #expect(try await shop.balance(Self.account, in: .sandbox) == 4)
            let entries = try shop.admin.rows("SELECT kind, units, reference FROM app_store_entry ORDER BY sequence")
            #expect(entries == [["correction", "3", "ticket-gift"], ["correction", "1", "free-trial"]])
            #expect(await shop.spend(4, Self.account, in: .sandbox) == nil)
            #expect(try shop.falseSums().isEmpty)
        }
    }

    @Test func `is given once where it is told many times at once`() async throws {
        try await withAppStore(Self.gifts) { shop in
            try await shop.open(Self.account)
            let ended = Ended()
            for _ in 0..<16 {
                shop.part.loop.reactor.startTask {
                    ended.failures += (try? await shop.part.give(Self.event("free-trial"))) == nil ? 1 : 0
                    ended.count += 1
                }
            }
            _ = await waitUntil(shop.part.loop.reactor) { ended.count == 16 }
            #expect(ended.failures == 0)
            #expect(try await shop.balance(Self.account, in: .sandbox) == 1)
        }
    }

    @Test func `is still to be given where the ledger had no room for it`() async throws {
        try await withAppStore(Self.gifts) { shop in
            try await shop.open(Self.account)
            let most = 1_000_000_000_000
            let ledger = "SELECT app_store_ledger_of('\(Self.account)', 'Sandbox')"
            try shop.admin.run("SELECT app_store_enter((\(ledger)), 'correction', \(most), NULL, NULL)")
            let event = Self.event("ticket-gift")
            try await shop.part.give(event)
            #expect(shop.program.log.lines(with: "app_store.not_given").count == 1)
            #expect(await shop.spend(10, Self.account, in: .sandbox) == nil)
            try await shop.part.give(event)
            #expect(try await shop.balance(Self.account, in: .sandbox) == most - 7)
            #expect(try shop.falseSums().isEmpty)
        }
    }

    @Test func `is not for who is nobody, and is forgotten with the account`() async throws {
        try await withAppStore(Self.gifts) { shop in
            try await shop.open(Self.account)
            try await shop.part.give(Self.event("free-trial"))
            try shop.admin.run("UPDATE account SET erased_at = now(), external_id = NULL")
            _ = try shop.admin.rows("SELECT app_store_erase('\(Self.account)')")
            #expect(try shop.admin.rows("SELECT count(*) FROM app_store_gift") == [["0"]])
            try await shop.part.give(Self.event("free-trial"))
            try await shop.part.give(Self.event("free-trial", UUIDBytes(high: 1, low: 1)))
            #expect(try shop.admin.rows("SELECT sum(units) FROM app_store_entry") == [["1"]])
            #expect(shop.program.log.lines(with: "app_store.not_given").count == 2)
        }
    }

    @Test(arguments: ["free-trial", "free-trial=0", "free-trial=x", "=1", "free-trial=1,free-trial=2", "a=1=2"])
    func `has a purpose and units in the settings`(text: String) async throws {
        await #expect(throws: (any Error).self) { try await withAppStore(["app_store.gifts": text]) { _ in } }
    }
}

/// Grows while gifts are told of.
private final class Ended {
    var count = 0
    var failures = 0
}
