import IntegrationKit
import Primitives
import StrictJSON
import Testing

@testable import PushSimulator

@Suite("Cards on phones", .tags(.database, .slow))
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
}
