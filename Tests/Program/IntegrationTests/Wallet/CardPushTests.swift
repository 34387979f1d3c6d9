import EventIO
import IntegrationKit
import Primitives
import StrictJSON
import Testing

@testable import PushSimulator

@Suite("Pushes of cards", .tags(.database, .slow), .serialized)
struct CardPushTests {
    @Test func `find no phone that was wiped, and are sent there no more`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            try await shop.tell(phone, .wipe(isReported: true))
            try await shop.change(member, ["set": 1])
            try await poll(shop.reactor, "the loss") { try await shop.state(member) == "lost" ? () : nil }
            try await shop.change(member, ["set": 2])
            try await shop.settled()
            #expect(try await shop.pushed().count == 1)
            #expect(try shop.devices() == 0)
        }
    }

    @Test func `leave a phone that has registered again before it was called gone`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            let old = shop.token(phone)
            let now = shop.reactor.wallNow.microseconds / 1_000
            // Long enough for the phone to register meanwhile.
            try await shop.control(
                "POST",
                "answers",
                [
                    "token": .string(old), "count": 1, "reason": "Unregistered", "timestamp": JSONValue(Int(now)),
                    "delayMs": 5_000,
                ]
            )
            try await shop.change(member, ["set": 1])
            try await poll(shop.reactor, "the push") { try await shop.pushed() == [old] ? () : nil }
            try await shop.tell(phone, .newToken)
            // It is woken by its new token.
            try await shop.shown(1, of: member, on: [phone])
            #expect(try await shop.pushed() == [old, shop.token(phone)])
            #expect(try await shop.state(member) == "installed")
        }
    }

    @Test func `wait for a service that is away`() async throws {
        try await withCardShop { shop in
            let members = try await shop.members(5)
            let phones = try await shop.phones(with: members)
            try await shop.change(members[0], ["set": 1])
            try await shop.shown(1, of: members[0], on: [phones[0]])
            try await shop.control("POST", "options", ["refusesConnections": true, "dropAfter": 1])
            for member in members { try await shop.change(member, ["set": 2]) }
            _ = try await shop.servers[0].program.line(with: "\"push.not_connected\"")
            for member in members { try await shop.change(member, ["set": 3]) }
            try await shop.control("POST", "options", ["refusesConnections": false])
            for (phone, member) in zip(phones, members) { try await shop.shown(3, of: member, on: [phone]) }
        }
    }

    @Test func `reach every phone when the service says goodbye in their midst`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phones = try await shop.phones(with: Array(repeating: member, count: 40))
            try await shop.control("POST", "options", ["goAway": ["afterRequests": 20, "reason": "Shutdown"]])
            try await shop.change(member, ["set": 1])
            try await shop.shown(1, of: member, on: phones)
            try await shop.settled()
            #expect(try await shop.control("GET", "connections")["opened"]?.integer == 2)
            #expect(try await shop.pushed().count == 40)
        }
    }

    @Test func `are shared by two processes, and sent once`() async throws {
        try await withCardShop(["SALLYPORT_WALLET_PUSH_STREAMS": "10"], processes: 2) { shop in
            let member = try await shop.member("customer-1")
            let phones = try await shop.phones(with: Array(repeating: member, count: 60))
            // Long enough for the other process to look meanwhile: it does each second, and there are six turns for one alone.
            try await shop.control("POST", "answers", ["delayMs": 1_000])
            try await shop.change(member, ["set": 1])
            try await shop.shown(1, of: member, on: phones)
            try await shop.settled()
            #expect(try await shop.pushed().sorted() == phones.map(shop.token).sorted())
            #expect(try await shop.control("GET", "connections")["opened"]?.integer == 2)
        }
    }

    @Test func `are sent by the next process when the first dies behind the commit`() async throws {
        try await withCardShop { shop in
            let members = try await shop.members(2)
            let phones = try await shop.phones(with: members)
            // One whose answer does not come, and one that is not sent as there is no room for it.
            try await shop.control("POST", "options", ["streams": 1])
            try await shop.control("POST", "answers", ["count": 1, "delayMs": 600_000])
            try await shop.change(members[0], ["set": 1])
            try await poll(shop.reactor, "the push") { try await shop.pushed().count == 1 ? () : nil }
            try await shop.change(members[1], ["set": 2])
            try await shop.kill(shop.servers[0])
            try shop.endLeases()
            try await shop.start()
            try await shop.shown(1, of: members[0], on: [phones[0]])
            try await shop.shown(2, of: members[1], on: [phones[1]])
        }
    }

    @Test func `halt, and forget nobody, where the service calls many tokens bad`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phones = try await shop.phones(with: Array(repeating: member, count: 30))
            // Tokens that it has taken before are its own; of others its word does not count.
            try shop.shop.rows("UPDATE wallet_device SET accepted_at = now()")
            try await shop.control("POST", "answers", ["reason": "BadDeviceToken"])
            try await shop.change(member, ["set": 1])
            _ = try await shop.servers[0].program.line(with: "\"push.halted\"")
            try await shop.control("DELETE", "answers")
            try shop.reload()
            try await shop.shown(1, of: member, on: phones)
            #expect(try shop.devices() == 30)
        }
    }

    @Test func `forget nobody on the word of a service that has taken none of them`() async throws {
        try await withCardShop { shop in
            let members = try await shop.members(5)
            let phones = try await shop.phones(with: members)
            try await shop.control("POST", "answers", ["reason": "BadDeviceToken"])
            for member in members { try await shop.change(member, ["set": 1]) }
            // One that is answered while another is taken would be forgotten.
            try await poll(shop.reactor, "all doubted") {
                let doubted = "SELECT 1 FROM wallet_push_job WHERE claim_id IS NULL AND attempts = 1"
                return try shop.shop.rows(doubted).count == 5 ? () : nil
            }
            #expect(try shop.devices() == 5)
            try await shop.control("DELETE", "answers")
            // The pause is over.
            try await poll(shop.reactor, "the pushes") {
                try shop.shop.rows("UPDATE wallet_push_job SET due_at = now() WHERE NOT is_sent AND claim_id IS NULL")
                return zip(phones, members).allSatisfy { shop.points($0, $1) == 1 } ? () : nil
            }
            // Now its word counts.
            let token = shop.token(phones[0])
            try await shop.control("POST", "answers", ["token": .string(token), "reason": "BadDeviceToken"])
            try await shop.change(members[0], ["set": 2])
            try await poll(shop.reactor, "the loss") { try await shop.state(members[0]) == "lost" ? () : nil }
            #expect(try shop.devices() == 4)
        }
    }
}

extension CardShop {
    /// How many phones the program knows.
    func devices() throws -> Int { Int(try shop.value("SELECT count(*) FROM wallet_device")) ?? -1 }

    /// How many pushes wait or are under way.
    func queueLength() throws -> Int { Int(try shop.value("SELECT count(*) FROM wallet_push_job")) ?? -1 }

    /// Lets the leases of pushes be over, whose process has died.
    func endLeases() throws {
        try shop.rows("UPDATE wallet_push_job SET due_at = now() WHERE claim_id IS NOT NULL")
    }
}
