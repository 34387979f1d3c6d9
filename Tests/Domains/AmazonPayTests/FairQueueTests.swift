import TestKit
import Testing

@testable import AmazonPay

/// Who is served when calls are scarce: by the position in the order of calls, without a clock.
@Suite("Those who wait for calls")
struct FairQueueTests {
    private static let attacker = client(1, network: 1)
    private static let buyer = client(1_000, network: 2)

    private static func client(_ address: UInt64, network: UInt64) -> CallAsker {
        .client(address: address, network: network)
    }

    /// A bucket of which buyers' part is used up.
    private func bucket(_ rate: CallRate = CallRate(burst: 36, perSecond: 1)) -> TokenBucket {
        var bucket = TokenBucket(rate)
        while bucket.reserve(at: .zero, patience: .zero, priority: .buyer) == .taken(after: .zero) {}
        return bucket
    }

    /// Asks for all callers in turn, whenever a token comes back, and gives their names in the order in which they are served.
    private func served(_ bucket: inout TokenBucket, _ waiting: [(name: Int, ticket: CallTicket)]) -> [Int] {
        var (waiting, order) = (waiting, [Int]())
        for second in 1...200 where !waiting.isEmpty {
            // Newest first: whoever asks out of turn gets nothing by it.
            for (index, caller) in waiting.enumerated().reversed() {
                let now = Duration.seconds(second)
                let ticket = caller.ticket
                let asker = ticket.asker
                switch bucket.reserve(
                    at: now,
                    patience: .seconds(300),
                    priority: .buyer,
                    asker: asker,
                    ticket: ticket
                ) {
                case .taken:
                    order.append(caller.name)
                    waiting.remove(at: index)
                case .later: break
                default: Issue.record("the call of \(caller.name) was given up")
                }
            }
        }
        return order
    }

    private func wait(_ bucket: inout TokenBucket, _ asker: CallAsker) -> CallTicket? {
        let place = bucket.reserve(at: .zero, patience: .seconds(300), priority: .buyer, asker: asker)
        #expect(place == .crowded || place.ticket != nil)
        return place.ticket
    }

    @Test(arguments: [false, true])
    func `are few of one address or network, and another buyer is behind one of them`(hasNetwork: Bool) throws {
        var bucket = bucket()
        var waiting: [(name: Int, ticket: CallTicket)] = []
        for index in 0..<150 {
            let asker = Self.client(hasNetwork ? UInt64(index) : 1, network: 1)
            if let ticket = wait(&bucket, asker) { waiting.append((index, ticket)) }
        }
        #expect(waiting.count == (hasNetwork ? 12 : 4))
        waiting.append((-1, try #require(wait(&bucket, Self.buyer))))
        let order = served(&bucket, waiting)
        #expect(order.count == waiting.count)
        #expect(try #require(order.firstIndex(of: -1)) <= 1)
    }

    @Test func `of one network are served address after address`() throws {
        var bucket = bucket()
        var waiting: [(name: Int, ticket: CallTicket)] = []
        for _ in 0..<4 { waiting.append((1, try #require(wait(&bucket, Self.client(1, network: 1))))) }
        for _ in 0..<2 { waiting.append((2, try #require(wait(&bucket, Self.client(2, network: 1))))) }
        waiting.append((3, try #require(wait(&bucket, Self.client(3, network: 1)))))
        #expect(served(&bucket, waiting) == [1, 2, 3, 1, 2, 1, 1])
    }

    @Test func `are passed by nobody's first call that comes later`() throws {
        var bucket = bucket()
        let first = try #require(wait(&bucket, Self.buyer))
        for network in UInt64(10)..<40 { #expect(wait(&bucket, Self.client(network, network: network)) != nil) }
        let turn = bucket.reserve(at: .seconds(1), patience: .zero, priority: .buyer, asker: Self.buyer, ticket: first)
        #expect(turn == .taken(after: .zero))
    }

    @Test func `let others go on who left or do not ask in time`() throws {
        var bucket = bucket(CallRate(burst: 36, perSecond: 0.1))
        let gone = try #require(wait(&bucket, Self.attacker))
        let late = try #require(wait(&bucket, Self.client(5, network: 5)))
        let last = try #require(wait(&bucket, Self.buyer))
        bucket.leave(gone, priority: .buyer)
        func isServed(_ ticket: CallTicket, at now: Duration) -> Bool {
            let patience = Duration.seconds(60)
            let asker = ticket.asker
            return bucket.reserve(at: now, patience: patience, priority: .buyer, asker: asker, ticket: ticket)
                == .taken(after: .zero)
        }
        // One call has come back, for the second.
        #expect(!isServed(last, at: .seconds(15)))
        #expect(isServed(last, at: .seconds(20)))
        // The second was to ask at that time too; its place is kept for a second.
        let next = try #require(wait(&bucket, Self.buyer))
        #expect(!isServed(next, at: .milliseconds(20_900)))
        #expect(isServed(next, at: .milliseconds(21_100)))
        #expect(!isServed(late, at: .seconds(29)))
        #expect(isServed(late, at: .seconds(30)))
    }

    @Test func `count as many as there are where the program itself waits`() {
        var bucket = bucket()
        let places = (0..<100).map { _ in wait(&bucket, .program) }
        #expect(places.allSatisfy { $0 != nil })
        #expect((0..<100).allSatisfy { wait(&bucket, .merchant(session: UInt64($0))) != nil })
    }

    @Test func `for purchases come before buyers who look, where nothing is kept for them`() throws {
        var bucket = TokenBucket(CallRate(burst: 1, perSecond: 1))
        _ = bucket.take(at: .zero, patience: .zero)
        let look = try #require(wait(&bucket, Self.attacker))
        let place = bucket.reserve(at: .zero, patience: .seconds(60), priority: .purchase, asker: Self.buyer)
        #expect(place.wait == .seconds(1))
        let purchase = try #require(place.ticket)
        let early = bucket.reserve(
            at: .seconds(1),
            patience: .seconds(60),
            priority: .buyer,
            asker: Self.attacker,
            ticket: look
        )
        #expect(early != .taken(after: .zero))
        let paid = bucket.reserve(
            at: .seconds(1),
            patience: .zero,
            priority: .purchase,
            asker: Self.buyer,
            ticket: purchase
        )
        #expect(paid == .taken(after: .zero))
    }

    @Test func `of purchases are served in turn, behind those of the program`() throws {
        var bucket = TokenBucket(CallRate(burst: 1, perSecond: 1))
        _ = bucket.take(at: .zero, patience: .zero)
        func ask(_ asker: CallAsker, _ ticket: CallTicket? = nil, at now: Duration = .zero) -> CallQuota.Reservation {
            bucket.reserve(at: now, patience: .seconds(60), priority: .purchase, asker: asker, ticket: ticket)
        }
        let many = (0..<50).map { _ in ask(Self.attacker) }
        #expect(many.count { $0 == .crowded } == 46)
        let place = ask(Self.buyer)
        #expect(place.wait == .seconds(2))
        let ticket = try #require(place.ticket)
        #expect(ask(.program) == .taken(after: .seconds(1)))
        #expect(ask(Self.buyer, ticket, at: .seconds(3)) != .taken(after: .zero))
        let first = try #require(many[0].ticket)
        #expect(ask(Self.attacker, first, at: .seconds(2)) == .taken(after: .zero))
        #expect(ask(Self.buyer, ticket, at: .seconds(3)) == .taken(after: .zero))
    }
}

extension CallQuota.Reservation {
    var wait: Duration? {
        if case .later(let wait, _) = self { wait } else { nil }
    }

    var ticket: CallTicket? {
        if case .later(_, let ticket) = self { ticket } else { nil }
    }
}
