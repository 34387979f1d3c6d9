import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import Primitives
import StrictJSON
import Testing

@testable import PushSimulator

/// Many cards and phones, writers and crashes at once.
///
/// CONTRIBUTING says how the sizes are set; the figures are written to standard error.
@Suite("Cards under load", .tags(.database, .slow), .serialized)
struct CardLoadTests {
    private static func size(_ variable: String, _ usual: Int) -> Int {
        Int(ProcessInfo.processInfo.environment[variable] ?? "") ?? usual
    }

    private static let members = size("SALLYPORT_MEMBERS", 60)
    private static let phones = size("SALLYPORT_PHONES", 20)
    private static let seconds = size("SALLYPORT_WRITE_SECONDS", 1)
    private static let kills = size("SALLYPORT_KILLS", 3)
    private static let deadline = Duration.seconds(3_600)

    @Test func `lose no update, and wake no phone twice for one`() async throws {
        try await withCardShop(deadline: Self.deadline) { shop in
            let members = try await shop.members(max(Self.members, Self.phones))
            let owners = Array(members.prefix(Self.phones))
            let phones = try await shop.phones(with: owners)
            var begun: [Int: WallTime] = [:]
            var longestQueue = 0
            let start = shop.reactor.now
            _ = try await inParallel(shop.reactor, Array(members.indices), atMost: 24) { index in
                begun[index] = shop.reactor.wallNow
                try await shop.change(members[index], ["add": JSONValue(index + 1)])
                if index % 500 == 0 { longestQueue = max(longestQueue, try shop.queueLength()) }
            }
            let changed = shop.reactor.now - start
            for (index, phone) in phones.enumerated() {
                try await shop.shown(index + 1, of: members[index], on: [phone])
            }
            try await shop.settled()
            let delays = phones.indices.compactMap { index in
                zip(begun[index], shop.lastShown(phones[index])).map { $1.microseconds - $0.microseconds }
            }
            .sorted()
            #expect(delays.count == phones.count)
            #expect(try await shop.pushed().sorted() == phones.map(shop.token).sorted())
            #expect(longestQueue <= phones.count)
            for phone in phones {
                #expect(shop.events(phone, .shown).count == 1)
                #expect(shop.events(phone, .failed) == [])
            }
            _ = try await inParallel(shop.reactor, Array(phones.indices), atMost: 24) { index in
                try await shop.tell(phones[index], .remove(type: CardShop.passType, serial: members[index].serial))
            }
            #expect(
                try shop.shop.value("SELECT count(*) FROM wallet_pass WHERE state = 'removed'") == "\(phones.count)"
            )
            report(
                "\(members.count) members changed in \(changed); to the new value on \(phones.count) phones: median"
                    + " \(delays[delays.count / 2] / 1_000) ms, longest \((delays.last ?? 0) / 1_000) ms; queue \(longestQueue)"
            )
        }
    }

    @Test func `reach all phones of one card`() async throws {
        try await withCardShop(deadline: Self.deadline) { shop in
            let member = try await shop.member("customer-1")
            let count = Self.phones * 5
            let phones = try await shop.phones(with: Array(repeating: member, count: count))
            let start = shop.reactor.now
            try await shop.change(member, ["set": 1])
            let answered = shop.reactor.now - start
            try await shop.shown(1, of: member, on: phones)
            let shown = shop.reactor.now - start
            try await shop.settled()
            #expect(try await shop.pushed().sorted() == phones.map(shop.token).sorted())
            report("\(count) phones of one card: change answered in \(answered), shown on all in \(shown)")
        }
    }

    @Test func `tell a phone that asks again and again of each change as soon as it is made`() async throws {
        try await withCardShop(processes: 2, deadline: Self.deadline) { shop in
            let member = try await shop.member("customer-1")
            let phone = try await shop.phone(with: member)
            var (promised, writers, polls, known) = (0, 6, 0, 0)
            let end = shop.reactor.now + .seconds(Self.seconds)
            for _ in 0..<writers {
                shop.reactor.startTask {
                    while shop.reactor.now < end, let sum = try? await shop.change(member, ["add": 1]) {
                        promised = max(promised, sum)
                    }
                    writers -= 1
                }
            }
            var card = try #require(shop.card(phone, member))
            while writers > 0 {
                let before = promised
                let answer = try await shop.fetch(card)
                polls += 1
                if answer.status == 304 {
                    known += 1
                } else {
                    card = try shop.opened(answer)
                }
                let points = try #require(card.points)
                #expect(points >= before, "what was answered before is old now")
            }
            try await shop.shown(promised, of: member, on: [phone])
            #expect(shop.events(phone, .failed) == [])
            #expect(try await shop.read(member)["points"]?.integer == promised)
            report("\(promised) changes and \(polls) polls in \(Self.seconds) s, \(known) of them 304")
        }
    }

    @Test func `are the newest on every phone behind crashes`() async throws {
        try await withCardShop(processes: 2, deadline: Self.deadline) { shop in
            let members = try await shop.members(Self.phones)
            let phones = try await shop.phones(with: members)
            var (isOver, writers, changes) = (false, 4, 0)
            for _ in 0..<writers {
                shop.reactor.startTask {
                    do {
                        while !isOver {
                            try await shop.change(members[Int.random(in: members.indices)], ["add": 1])
                            changes += 1
                        }
                    } catch {
                        Issue.record(error)
                    }
                    writers -= 1
                }
            }
            for _ in 0..<Self.kills {
                await shop.reactor.sleep(for: .milliseconds(Int.random(in: 0...400)))
                try await shop.kill(shop.servers[Int.random(in: shop.servers.indices)])
                try await shop.start()
            }
            isOver = true
            try await poll(shop.reactor, "the end of the writers") { writers == 0 ? () : nil }
            let end = shop.reactor.now
            // A small run does not wait for the leases of the dead.
            if Self.kills < 20 { try shop.endLeases() }
            for (phone, member) in zip(phones, members) {
                let points = try await shop.read(member)["points"]?.integer ?? -1
                try await shop.shown(points, of: member, on: [phone])
            }
            report("\(Self.kills) kills, \(changes) changes; all shown \(shop.reactor.now - end) behind the last one")
        }
    }

    private func report(_ figures: String) { StandardStream.error.write("cards: \(figures)\n") }
}

/// A pair, where there are both.
private func zip<First, Second>(_ first: First?, _ second: Second?) -> (First, Second)? {
    guard let first, let second else { return nil }
    return (first, second)
}
