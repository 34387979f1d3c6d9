import EventIO
import Foundation
import HTTPClient
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// `SALLYPORT_KILLS` says how often a server is killed; two hundred take minutes.
@Suite("Purchases in the App Store when servers end", .tags(.database, .slow), .serialized)
struct AppStoreCrashTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["SALLYPORT_KILLS"] ?? "") ?? 6

    @Test func `are granted and taken back once, and what was spent is spent once`() async throws {
        try await withPurchaseShop(processes: 2, deadline: .seconds(300 + 10 * Self.kills)) { shop in
            let seed = UInt64.random(in: 1...UInt64.max)
            let random = SeededRandom(seed: seed)
            var buyers: [Buyer] = []
            for number in 0..<6 { buyers.append(try await shop.open("customer-\(number)")) }
            let stream = PurchaseStream(shop, buyers, random)
            for _ in 0..<Self.kills {
                stream.allow(16)
                // Anywhere in the midst of them.
                let moment = random.below(16)
                try await poll(shop.reactor, "the moment") { try stream.hasCome(to: moment) ? () : nil }
                // One of two, or both at once.
                let victims = random.below(3) == 0 ? shop.servers : [shop.servers[random.below(2)]]
                for server in victims { try await shop.kill(server) }
                // The next one reads what was missed meanwhile, or leaves it to a later one.
                if random.below(2) == 0 { try shop.endHistoryPause() }
                while shop.servers.count < 2 { try await shop.start() }
            }
            try await stream.end()
            try await shop.told(stream.notifications)
            for server in shop.servers { try await shop.kill(server) }
            let missed = shop.ways.delivered.count { $0 != 200 }
            try shop.endHistoryPause()
            try await shop.start()
            try await shop.historyRead()
            for buyer in buyers {
                #expect(try await shop.balance(buyer) == stream.sum(of: buyer), "\(buyer.account), seed \(seed)")
            }
            #expect(try shop.contradictions().isEmpty, "seed \(seed)")
            let spent = try shop.shop.rows("SELECT reference FROM app_store_entry WHERE kind = 'spend'").map { $0[0] }
            #expect(spent.count == Set(spent).count && Set(spent) == Set(stream.spent), "seed \(seed)")
            let granted = try shop.shop.value("SELECT count(*) FROM event WHERE type = 'app_store.purchase.granted'")
            #expect(granted == "\(stream.bought)", "seed \(seed)")
            StandardStream.error.write(
                "\(Self.kills) kills: \(stream.bought) purchases, \(stream.refunded) refunds and reversals, \(spent.count) spends, \(missed) notifications missed\n"
            )
        }
    }

    @Test func `that nobody was there to hear of come with the history, each once`() async throws {
        try await withPurchaseShop(processes: 1) { shop in
            let buyer = try await shop.open("customer-1")
            // All tries of a week within a second.
            try await shop.apple.control("POST", "notifications/options", ["hourMs": 5])
            let early = try await shop.apple.buy(.ten, token: buyer.customer, in: "Production")
            try await shop.told(1)
            #expect(try await shop.balance(buyer, in: "Production") == 10)
            try await shop.kill(shop.servers[0])
            // More than a page of the history.
            for _ in 0..<23 { _ = try await shop.apple.buy(token: buyer.customer, in: "Production") }
            let late = try await shop.apple.buy(.ten, token: buyer.customer, in: "Production")
            // In the sandbox there is one try.
            _ = try await shop.apple.buy(.ten, quantity: 2, token: buyer.customer)
            try await shop.apple.change(early, "refund", ["percentage": 50_000])
            try await shop.told(1 + 25 * 6 + 1)
            #expect(shop.ways.delivered == [200] + Array(repeating: nil, count: 151))
            try shop.endHistoryPause()
            try await shop.start()
            try await shop.historyRead()
            #expect(try await shop.balance(buyer, in: "Production") == 5 + 23 + 10)
            #expect(try await shop.balance(buyer) == 20)
            // The apps come, too.
            #expect(try await shop.submit(late, for: buyer) == "duplicate")
            #expect(try await shop.submit(early, for: buyer) == "purchase_revoked")
            // And the history once more.
            try await shop.kill(shop.servers[0])
            try shop.endHistoryPause()
            try await shop.start()
            try await shop.historyRead()
            #expect(try await shop.balance(buyer, in: "Production") == 38)
            #expect(try shop.contradictions().isEmpty)
        }
    }
}

/// Customers who buy, give back and spend, each one thing after the other, for as long as they are allowed to; and what must have come
/// of it.
private final class PurchaseStream {
    /// Things that may still be begun.
    private var left = 0
    /// How many notifications Apple has sent.
    private(set) var notifications = 0
    private(set) var bought = 0
    private(set) var refunded = 0
    /// The words of all that was spent.
    private(set) var spent: [String] = []
    private var isOver = false
    private var running = 0
    private var failure: (any Error)?
    private var sums: [String: Int] = [:]
    private let shop: PurchaseShop
    private let random: SeededRandom

    init(_ shop: PurchaseShop, _ buyers: [Buyer], _ random: SeededRandom) {
        (self.shop, self.random) = (shop, random)
        running = buyers.count
        for buyer in buyers {
            shop.reactor.startTask {
                do {
                    try await self.live(buyer)
                } catch {
                    self.failure = error
                }
                self.running -= 1
            }
        }
    }

    func allow(_ count: Int) { left += count }

    /// Whether no more than so many things are left to begin.
    func hasCome(to moment: Int) throws -> Bool {
        if let failure { throw failure }
        return left <= moment
    }

    /// Waits until everybody has come to the end.
    func end() async throws {
        isOver = true
        try await poll(shop.reactor, "the end of the stream") { self.running == 0 ? () : nil }
        if let failure { throw failure }
    }

    /// What an account must have.
    func sum(of buyer: Buyer) -> Int { sums[buyer.account] ?? 0 }

    private func live(_ buyer: Buyer) async throws {
        var held: [Holding] = []
        while true {
            guard left > 0 else {
                if isOver { return }
                await shop.reactor.sleep(for: .milliseconds(5))
                continue
            }
            left -= 1
            let version = HTTPVersion.allCases[random.below(HTTPVersion.allCases.count)]
            switch random.below(8) {
            case 0, 1, 2, 3:
                if let made = try await buy(buyer, version) { held.append(Holding(bought: made)) }
            case 4 where !held.isEmpty, 5 where !held.isEmpty:
                let index = random.below(held.count)
                held[index].percentage = try await turn(held[index], buyer)
            default: try await spend(buyer, version)
            }
        }
    }

    /// Buys; returns what the app has handed in, which may be refunded.
    private func buy(_ buyer: Buyer, _ version: HTTPVersion) async throws -> Bought? {
        let hasToken = random.below(3) > 0
        let ticket = Ticket.allCases[random.below(2)]
        let made = try await shop.apple.buy(
            ticket,
            quantity: 1 + random.below(3),
            token: hasToken ? buyer.customer : nil
        )
        (bought, notifications) = (bought + 1, notifications + 1)
        sums[buyer.account, default: 0] += made.units
        // Some apps do not come back: what names its account is granted by the notification alone.
        if hasToken, random.below(4) == 0 { return nil }
        let outcome = try await shop.submit(made, for: buyer, over: version)
        guard outcome == "granted" || outcome == "duplicate" else { throw ProgramFailure("submitted: \(outcome)") }
        return made
    }

    /// Gives a purchase back, or has that undone; the refunded percentage afterwards.
    private func turn(_ held: Holding, _ buyer: Buyer) async throws -> Int {
        var next = held
        next.percentage = held.percentage > 0 ? 0 : [100_000, 33_333][random.below(2)]
        if next.percentage > 0 {
            try await shop.apple.change(held.bought, "refund", ["percentage": JSONValue(next.percentage)])
        } else {
            try await shop.apple.change(held.bought, "reverse-refund")
        }
        (refunded, notifications) = (refunded + 1, notifications + 1)
        sums[buyer.account, default: 0] += held.taken - next.taken
        return next.percentage
    }

    private func spend(_ buyer: Buyer, _ version: HTTPVersion) async throws {
        let (units, word) = (1 + random.below(5), "spend-\(random.next())")
        guard try await shop.spend(units, of: buyer, word: word, over: version) else { return }
        spent.append(word)
        sums[buyer.account, default: 0] -= units
    }
}

/// A purchase that an app has handed in.
private struct Holding {
    let bought: Bought
    /// Thousandths of a percent that are refunded.
    var percentage = 0

    /// Units that are taken back for it.
    var taken: Int { bought.units * percentage / 100_000 }
}
