import IntegrationKit
import Primitives
import StrictJSON
import Testing

@testable import PushSimulator

@Suite("Cards on phones", .tags(.database, .slow), .serialized)
struct CardTests {
    @Test func `come by a link, follow the points on each phone, and are counted when they are removed`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-4711")
            let (first, second) = (try await shop.phone(with: member), try await shop.phone(with: member))
            #expect(try await shop.state(member) == "installed")
            try await shop.change(member, ["add": 100])
            try await shop.shown(100, of: member, on: [first, second])
            for phone in [first, second] {
                #expect(shop.events(phone, .shown) == ["ポイントが100になりました。"])
                #expect(shop.events(phone, .failed) == [])
            }
            // The same value again is no change.
            try await shop.change(member, ["set": 100])
            try await shop.settled()
            #expect(try await Set(shop.pushed()).count == 2)
            try await shop.tell(first, .remove(type: CardShop.passType, serial: member.serial))
            #expect(try await shop.state(member) == "installed")
            try await shop.tell(second, .remove(type: CardShop.passType, serial: member.serial))
            #expect(try await shop.state(member) == "removed")
        }
    }

    @Test func `show the newest value when the phone is on again`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            try await shop.tell(phone, .online(false))
            for points in 1...3 {
                try await shop.change(member, ["set": JSONValue(points)])
                try await shop.settled()
            }
            #expect(shop.points(phone, member) == 0)
            try await shop.tell(phone, .online(true))
            #expect(shop.points(phone, member) == 3)
            #expect(shop.events(phone, .shown).count == 1)
        }
    }

    @Test func `wake a phone a few times for many changes at once`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            _ = try await inParallel(shop.reactor, Array(1...30), atMost: 6) { _ in
                try await shop.change(member, ["add": 1])
            }
            try await shop.shown(30, of: member, on: [phone])
            try await shop.settled()
            let tokens = try await shop.pushed()
            #expect(tokens.count < 15, "a second lies between two of them")
            #expect(Set(tokens) == [shop.token(phone)])
        }
    }

    @Test func `of one type share a wake-up`() async throws {
        try await withCardShop(["SALLYPORT_WALLET_PUSH_SPACING": "1h"]) { shop in
            let members = try await shop.members(2)
            let phone = try await shop.phone(with: members[0], members[1])
            // Both changes wait for the first wake-up to be over.
            try await shop.control("POST", "options", ["refusesConnections": true])
            for member in members { try await shop.change(member, ["set": 7]) }
            try await shop.control("POST", "options", ["refusesConnections": false])
            for member in members { try await shop.shown(7, of: member, on: [phone]) }
            #expect(try await shop.pushed().count == 1)
        }
    }

    @Test func `follow a phone to its new token`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            try await shop.tell(phone, .newToken)
            try await shop.change(member, ["set": 5])
            try await shop.shown(5, of: member, on: [phone])
            #expect(try await shop.pushed() == [shop.token(phone)])
        }
    }

    @Test func `show a change that came between the download and the registration`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let old = try await shop.download(member)
            try await shop.change(member, ["set": 5])
            let early = try await shop.phone(with: member)
            let late = shop.newPhone()
            try await shop.tell(late, .add(old))
            try await shop.shown(5, of: member, on: [early, late])
        }
    }

    @Test func `of a member who has left end on the phone`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            _ = try await shop.ask("DELETE", "/members/\(member.account)")
            try await poll(shop.reactor, "the last version") {
                shop.card(phone, member)?.opened.json["voided"]?.flag == true ? () : nil
            }
            let card = try #require(shop.card(phone, member))
            #expect(card.webService == nil && card.opened.json["barcodes"] == nil)
            #expect(!String(decoding: card.opened.json.bytes, as: UTF8.self).contains("山田"))
        }
    }

    @Test func `are signed and pushed by the new certificate after a reload`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            try await shop.change(member, ["set": 1])
            try await shop.shown(1, of: member, on: [phone])
            try CardAuthority.issue(shop.shop.folder + "/certificates")
            try shop.reload()
            try await poll(shop.reactor, "the end of the old connection") {
                try await shop.control("GET", "connections")["open"]?.integer == 0 ? () : nil
            }
            try await shop.change(member, ["set": 2])
            try await shop.shown(2, of: member, on: [phone])
            let connections = try await shop.control("GET", "connections")
            #expect(connections["opened"]?.integer == 2 && connections["violations"]?.elements.isEmpty == true)
            #expect(shop.events(phone, .failed) == [])
        }
    }

    @Test func `are newer for the phone also when the clock was set back by an hour`() async throws {
        try await withCardShop { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            try await shop.change(member, ["set": 1])
            try await shop.shown(1, of: member, on: [phone])
            try await shop.settled()
            // What the database has of an hour that is still to come.
            try shop.shop.rows("UPDATE wallet_pass SET modified_at = modified_at + interval '1 hour'")
            try shop.shop.rows(
                """
                UPDATE wallet_push_job SET since = since + interval '1 hour', due_at = due_at + interval '1 hour',
                    not_before = not_before + interval '1 hour'
                """
            )
            try await shop.tell(phone, .daily)
            try await shop.change(member, ["set": 2])
            try await shop.shown(2, of: member, on: [phone])
        }
    }
}
