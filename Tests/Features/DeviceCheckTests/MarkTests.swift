import Accounts
import DeviceAttestation
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

@testable import DeviceCheck

@Suite struct `Marks and tokens` {
    private let anna = DeviceFixture.account(1)
    private let ben = DeviceFixture.account(2)

    @Test func `go up and never down`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            for (event, state) in [("trial-started", "trial-used"), ("signed-up", "trial-used"), ("purchased", "paid")]
            {
                let marked = await shop.mark(anna, shop.apple.token(of: 0), event)
                #expect(marked.word("state") == state && marked["isQueued"]?.flag == false, "\(marked)")
            }
            #expect(await shop.mark(anna, shop.apple.token(of: 0), "nothing").word("code") == "device_event_unknown")
        }
    }

    @Test func `wait for the account's next visit, count at once, and are written then`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            #expect(try await shop.part.queue("refund-abuse", of: anna, from: "app_store.purchase.refunded"))
            shop.apple.faults[.query] = .answer(.unavailable, attempts: 3)
            #expect(await shop.claim(anna, device: 0, "purchase").word("reason") == "state-refused")
            let checked = await shop.check(anna, shop.apple.token(of: 0), "purchase")
            #expect(checked.word("reason") == "state-refused" && checked.word("state") == "blocked")
            #expect(shop.apple.state(of: 0) == .blocked)
            #expect(try await !shop.part.queue("refund-abuse", of: ben, from: "nobody"))
        }
    }

    private func event(_ type: String, _ data: [JSONMember] = []) -> WebhookEvent {
        WebhookEvent(
            id: UUIDBytes(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max)),
            type: type,
            subject: EventSubject("purchase", UUIDBytes(high: 1, low: 1)),
            sequence: 1,
            at: SystemClock().now(),
            data: .object([JSONMember("accountId", .string(anna.description))] + data)
        )
    }

    @Test func `wait for what other features tell of the account, with real money alone`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let (real, test) = (JSONMember("environment", "Production"), JSONMember("environment", "Sandbox"))
            let refunded = "app_store.purchase.refunded"
            let (spent, unspent) = (JSONMember("balance", -3), JSONMember("balance", 0))
            for told in [
                event("app_store.purchase.granted", [test]), event(refunded, [test, spent]),
                event(refunded, [real, unspent]), event("session.placed"),
            ] {
                try await shop.part.markLater(told)
                #expect(try shop.value("SELECT queued FROM device_account") == nil, "\(told.type)")
            }
            try await shop.part.markLater(event("session.paid"))
            #expect(try shop.value("SELECT queued FROM device_account") == "paid")
            let abuse = event(refunded, [real, spent])
            for _ in 0..<2 { try await shop.part.markLater(abuse) }
            try await shop.part.markLater(event("app_store.purchase.granted", [real]))
            #expect(try shop.value("SELECT queued FROM device_account") == "blocked")
            #expect(try shop.value("SELECT count(*) FROM device_history WHERE kind = 'queue'") == "2")
            #expect(await shop.claim(anna, device: 0).word("reason") == "state-refused")
            #expect(shop.apple.state(of: 0) == .blocked)
        }
    }

    /// Whoever has read less may write behind: a mark that matters waits until it was seen.
    @Test func `above a used trial wait on until a later visit has shown them, and are written again`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            _ = await shop.mark(anna, shop.apple.token(of: 0), "fraud")
            #expect(try shop.value("SELECT queued FROM device_account") == "blocked")
            shop.apple.set(.trialUsed, on: 0)
            #expect(await shop.check(anna, shop.apple.token(of: 0)).word("state") == "blocked")
            #expect(shop.apple.state(of: 0) == .blocked)
            #expect(try shop.value("SELECT queued FROM device_account") == "blocked")
            _ = await shop.check(anna, shop.apple.token(of: 0))
            #expect(try shop.value("SELECT queued FROM device_account") == nil)
            _ = await shop.mark(anna, shop.apple.token(of: 1), "trial-started")
            #expect(try shop.value("SELECT queued FROM device_account") == nil)
        }
    }

    @Test func `wait where Apple is away or the mark is uncertain`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            for fault in [DeviceCheckCall.query, .update] {
                shop.apple.faults[fault] = .answer(.unavailable, attempts: 3)
                let marked = await shop.mark(anna, shop.apple.token(of: 0), "trial-started")
                #expect(marked["isQueued"]?.flag == true && marked.word("state") == nil)
                #expect(try shop.value("SELECT queued FROM device_account") == "trial-used")
                _ = await shop.check(anna, shop.apple.token(of: 0))
                #expect(try shop.value("SELECT queued FROM device_account") == nil)
                #expect(shop.apple.state(of: 0) == .trialUsed)
                shop.apple.set(.known, on: 0)
            }
        }
    }

    @Test func `are shown once, and once more in the flow of a check`() async throws {
        try await withDevices { shop in
            try shop.open([anna, ben])
            let token = shop.apple.token(of: 0)
            let checked = await shop.check(anna, token)
            #expect(checked.word("decision") == "allow")
            let checkID = checked.word("checkId").flatMap { UUIDBytes($0) }
            #expect(await shop.check(anna, token).word("code") == "device_token_used")
            #expect(await shop.claim(anna, token).word("code") == "device_token_used")
            let other = await shop.claim(anna, token, checkID: UUIDBytes(high: 1, low: 1))
            #expect(other.word("code") == "device_token_used")
            #expect(await shop.claim(anna, token, checkID: checkID)["isGranted"]?.flag == true)
            #expect(await shop.mark(anna, token, "purchased", checkID: checkID).word("code") == "device_token_used")
            let calls = shop.apple.calls.count
            #expect(await shop.claim(ben, token).word("code") == "device_token_used")
            #expect(shop.apple.calls.count == calls)
        }
    }

    @Test func `end with a flow of two minutes, and are forgotten after a day`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let token = shop.apple.token(of: 0)
            let checkID = await shop.check(anna, token).word("checkId").flatMap { UUIDBytes($0) }
            try shop.admin.run("UPDATE device_token SET seen_at = seen_at - interval '3 minutes'")
            #expect(await shop.claim(anna, token, checkID: checkID).word("code") == "device_token_used")
            let prune = DeviceStatement.prune(.seconds(86_400), 10)
            #expect(try await shop.part.loop.database.work(prune).first() == 0)
            try shop.admin.run("UPDATE device_token SET seen_at = seen_at - interval '1 day'")
            #expect(try await shop.part.loop.database.work(prune).first() == 1)
        }
    }

    /// Nothing of a device may be found again.
    @Test func `leave neither tokens nor their plain hashes in any table`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let token = shop.apple.token(of: 0)
            _ = await shop.claim(anna, token)
            let rows = try shop.admin.rows(
                "SELECT w::text FROM device_account AS w UNION ALL SELECT w::text FROM device_claim AS w UNION ALL SELECT w::text FROM device_token AS w UNION ALL SELECT w::text FROM device_history AS w UNION ALL SELECT w::text FROM event AS w"
            )
            let text = rows.flatMap { $0.compactMap(\.self) }.joined()
            #expect(!text.contains(token) && !text.contains(token.prefix(24)))
            #expect(!shop.program.log.lines.joined().contains(token.prefix(24)))
        }
    }

    @Test func `are exported and erased with their account`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            #expect(await shop.claim(anna, device: 0)["isGranted"]?.flag == true)
            _ = try await shop.part.queue("fraud", of: anna, from: "test")
            let database = shop.part.loop.database
            let exported = try JSONParser.parse(
                try #require(try await database.read(DeviceStatement.export(anna)).first()).utf8
            )
            #expect(exported.word("waitingMark") == "blocked")
            #expect(exported["claims"]?.elements.first?.word("purpose") == "free-trial")
            #expect(exported["history"]?.elements.count == 4)
            #expect(try await AccountDataProbe.erase(anna, database) == ["claims": 1])
            #expect(try await database.read(DeviceStatement.export(anna)).first() == nil)
            try shop.admin.run("UPDATE account SET erased_at = now(), external_id = NULL")
            #expect(await shop.claim(anna, device: 0).word("code") == "not_found")
        }
    }

    @Test func `of the other environment open nothing, and Apple is not asked about them`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let checked = await shop.check(anna, shop.apple.token(of: 0), in: .development)
            #expect(checked.word("decision") == "unknown" && checked.word("reason") == "other-environment")
            #expect(shop.apple.calls.isEmpty)
        }
    }

    @Test func `that Apple refuses are asked for anew twice, then nobody can tell`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let foreign = ScriptedDevices(9, on: shop.part.loop.reactor)
            _ = shop.apple.token(of: 0)
            for device in 4...5 {
                #expect(await shop.check(anna, foreign.token(of: device)).word("code") == "device_token_refused")
            }
            let third = await shop.check(anna, foreign.token(of: 6))
            #expect(third.word("decision") == "unknown" && third.word("reason") == "device-token-refused")
            #expect(await shop.check(anna, shop.apple.token(of: 1)).word("decision") == "allow")
            #expect(await shop.check(anna, foreign.token(of: 7)).word("code") == "device_token_refused")
        }
    }

    @Test func `of a simulator count as a new device where that is configured, with development alone`() async throws {
        let settings = ["device_check.environment": "development", "device_check.bypass_token": "simulator-of-ours"]
        try await withDevices(settings) { shop in
            try shop.open([anna, ben])
            for account in [anna, ben] {
                let question = try shop.question(account, "simulator-of-ours", in: .development)
                let claimed = await shop.answer { try await shop.part.claim(question, for: "free-trial") }
                #expect(claimed["isGranted"]?.flag == true, "\(claimed)")
            }
            #expect(shop.apple.calls.isEmpty)
        }
        await #expect(throws: (any Error).self) {
            try await withDevices(["device_check.bypass_token": "simulator-of-ours"]) { _ in }
        }
    }
}

/// Erases as the reports of accounts do.
enum AccountDataProbe {
    static func erase(_ account: UUIDBytes, _ database: PostgresClient) async throws -> [String: Int] {
        try await AccountDataProbe.data.erase(database, account).counts
    }

    private static let data = Accounts.AccountData.devices
}
