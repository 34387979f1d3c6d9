import Primitives
import TestKit
import Testing

@testable import AmazonPay

@Suite("The pace of calls")
struct PaceTests {
    @Test func `is a burst, then a steady rate, in the order of arrival`() {
        var bucket = TokenBucket(CallRate(burst: 3, perSecond: 2))
        let waits = (0..<6).map { _ in bucket.take(at: .seconds(10), patience: .seconds(60)) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(500), .seconds(1), .milliseconds(1500)])
    }

    @Test func `costs an impatient caller nothing`() {
        var bucket = TokenBucket(CallRate(burst: 1, perSecond: 1))
        #expect(bucket.take(at: .zero, patience: .zero) == .zero)
        #expect(bucket.take(at: .zero, patience: .milliseconds(999)) == nil)
        #expect(bucket.take(at: .zero, patience: .seconds(1)) == .seconds(1))
        #expect(bucket.take(at: .seconds(2), patience: .zero) == .zero)
    }

    @Test func `fills up again, but not above the burst`() {
        var bucket = TokenBucket(CallRate(burst: 2, perSecond: 1))
        for _ in 0..<2 { #expect(bucket.take(at: .zero, patience: .zero) == .zero) }
        let later = Duration.seconds(3600)
        for _ in 0..<2 { #expect(bucket.take(at: later, patience: .zero) == .zero) }
        #expect(bucket.take(at: later, patience: .zero) == nil)
    }

    /// The vendor's table.
    static let table: [(AmazonPayOperation, live: (Int, Double), sandbox: (Int, Double))] = [
        (.createSession, (40, 16), (5, 1)), (.get, (40, 8), (10, 1)), (.update, (20, 8), (5, 1)),
        (.complete, (20, 4), (2, 1)), (.finalize, (20, 4), (2, 1)), (.createCharge, (10, 4), (2, 1)),
        (.getCharge, (20, 4), (5, 1)), (.capture, (20, 4), (2, 1)), (.cancelCharge, (10, 2), (2, 1)),
        (.getPermission, (20, 4), (10, 1)), (.updatePermission, (10, 2), (5, 1)),
        (.closePermission, (10, 2), (2, 1)), (.createRefund, (10, 4), (2, 1)), (.getRefund, (20, 4), (5, 1)),
        (.getBuyer, (40, 8), (10, 1)),
    ]

    @Test(arguments: [QuotaTable.live, .sandbox])
    func `stays a tenth under the vendor's burst and rate`(limits: QuotaTable) {
        #expect(Set(Self.table.map(\.0)) == Set(AmazonPayOperation.allCases))
        for (operation, live, sandbox) in Self.table {
            let row = limits == .live ? live : sandbox
            let quota = CallQuota(limits)
            #expect(quota.burst(operation) == row.0 * 9 / 10, "\(operation)")
            #expect(quota.ask(operation, patience: .zero) == .never)
            guard case .taken(let wait) = quota.ask(operation) else {
                Issue.record("\(operation) waits for ever")
                continue
            }
            #expect(abs(wait / .seconds(1) * row.1 * 0.9 - 1) < 0.001, "\(operation)")
            for other in AmazonPayOperation.allCases where other != operation {
                #expect(quota.ask(other) == .taken(after: .zero))
            }
        }
    }

    @Test func `has no limit where there is none`() {
        let quota = CallQuota(.unlimited)
        for priority in Priority.allCases { #expect(quota.burst(.complete, priority) == 1000) }
    }

    @Test func `is what is set for an operation, without a tenth less`() {
        var limits = CallQuota.Limits(.live)
        limits.rates[.complete] = CallRate("72/14.4")
        let quota = CallQuota(limits)
        #expect(quota.burst(.complete) == 72)
        #expect(quota.ask(.complete) == .taken(after: .seconds(1) / 14.4))
        #expect(quota.burst(.get) == 36)
    }

    @Test(arguments: [(2, 18, 3.6), (3, 12, 2.4), (100, 1, 0.072)])
    func `is an equal part of the account's for each process, one call at least`(
        processes: Int,
        burst: Int,
        rate: Double
    ) {
        var limits = CallQuota.Limits(.live)
        limits.processes = processes
        let quota = CallQuota(limits)
        #expect(quota.burst(.get) == burst)
        guard case .taken(let wait) = quota.ask(.get) else {
            Issue.record("waits for ever")
            return
        }
        #expect(abs(wait / .seconds(1) * rate - 1) < 0.001)
    }

    @Test func `leaves a third of the burst to purchases, and another to buyers`() {
        let quota = CallQuota(.live)
        // Of 18, which is the vendor's 20 less a tenth.
        #expect(quota.burst(.getCharge, .background) == 6)
        #expect(quota.burst(.getCharge, .buyer) == 6)
        #expect(quota.burst(.getCharge, .purchase) == 6)
        for priority in [Priority.buyer, .background] {
            #expect(quota.ask(.getCharge, priority, patience: .zero) == .never)
        }
    }

    @Test func `lets a thousand who wait stand in no purchase's way`() {
        let quota = CallQuota(.live)
        for _ in 0..<1000 { _ = quota.ask(.get, .buyer) }
        for _ in 0..<1000 { _ = quota.ask(.get, .background) }
        #expect(quota.burst(.get, .purchase) == 12)
    }

    @Test func `gives those who wait a turn each, and refuses at once whoever has none in time`() {
        let quota = CallQuota(.live)
        _ = quota.burst(.get, .buyer)
        let turns = (0..<20).map { _ in quota.ask(.get, .buyer, patience: .seconds(2)) }
        let waits = turns.compactMap { if case .later(let wait, _) = $0 { wait } else { nil } }
        // 7.2 come back in a second.
        #expect(waits.count == 14)
        #expect(turns.dropFirst(14).allSatisfy { $0 == .never })
        #expect(zip(waits, waits.dropFirst()).allSatisfy { abs(($1 - $0) / .seconds(1) * 7.2 - 1) < 0.001 })
        for (wait, turn) in zip(waits, turns) {
            #expect(quota.turn(turn, .get, .buyer, at: wait) == .taken(after: .zero))
        }
        // Whoever comes without a turn is behind them.
        #expect(quota.ask(.get, .buyer, at: waits[0]) != .taken(after: .zero))
    }

    @Test func `lets a purchase go before those whose turn it is`() throws {
        let quota = CallQuota(.live)
        _ = quota.burst(.get, .buyer)
        let place = quota.ask(.get, .buyer)
        let wait = try #require(place.wait)
        #expect(quota.ask(.get, .purchase, at: wait) == .taken(after: .zero))
        let next = quota.turn(place, .get, .buyer, at: wait)
        let more = try #require(next.wait, "the buyer took a third")
        #expect(quota.turn(next, .get, .buyer, at: wait + more) == .taken(after: .zero))
    }

    @Test func `lets nobody's call go out only when there is time for it`() {
        let quota = CallQuota(.sandbox)
        // A bucket of one has no third to leave.
        #expect(quota.ask(.capture, .background, patience: .zero) == .taken(after: .zero))
        #expect(quota.ask(.capture, .background, patience: .seconds(1)) == .never)
        guard case .later = quota.ask(.capture, .background, patience: .seconds(2)) else {
            Issue.record("does not wait")
            return
        }
    }

    @Test func `of a command is one for all operations together`() {
        var limits = CallQuota.Limits(.live)
        limits.pace = CallRate(burst: 1, perSecond: 2)
        let quota = CallQuota(limits)
        #expect(quota.ask(.getCharge, .background) == .taken(after: .zero))
        #expect(quota.ask(.getRefund, .background) == .paced(.milliseconds(500)))
        #expect(quota.ask(.getPermission, .background, patience: .milliseconds(499)) == .never)
        #expect(quota.ask(.getRefund, .background, at: .milliseconds(500)) == .taken(after: .zero))
        #expect(quota.ask(.get, .background, at: .milliseconds(500)) == .paced(.milliseconds(500)))
    }

    @Test(arguments: [
        ("36/7.2", 36, 7.2), ("1/0.001", 1, 0.001), ("100000/100000", 100_000, 100_000), ("2/1", 2, 1),
        ("9/0.125", 9, 0.125),
    ])
    func `is written as a burst and calls a second`(text: String, burst: Int, rate: Double) {
        #expect(CallRate(text) == CallRate(burst: burst, perSecond: rate))
    }

    @Test(arguments: [
        "", "36", "36/", "/7.2", "36/7.2/1", "0/7.2", "36/0", "36/0.000", "36/.5", "36/7.", "36/7.2222", "-1/2", "+1/2",
        "1/-2",
        "100001/1", "1/100000.001", "1/1e3", "0x1/1", "1/inf", " 1/1", "1 / 1", "1/99999999999999999999", "１/1",
    ])
    func `is nothing else`(text: String) {
        #expect(CallRate(text) == nil)
    }

    @Test func `of retries is drawn evenly below a growing bound`() {
        let policy = RetryPolicy()
        let random = SeededRandom(seed: 1)
        for (failures, bound) in [(1, 200), (2, 400), (3, 800), (6, 5000), (60, 5000)] {
            let pauses = (0..<200).map { _ in policy.backoff.pause(after: failures, random: random) }
            #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .milliseconds(bound) })
            #expect(pauses.contains { $0 < .milliseconds(bound) / 4 })
            #expect(pauses.contains { $0 > .milliseconds(bound) / 4 * 3 })
        }
    }
}

extension CallQuota {
    /// What somebody is told who comes with a minute of time.
    fileprivate func ask(
        _ operation: AmazonPayOperation,
        _ priority: Priority = .purchase,
        at now: Duration = .zero,
        patience: Duration = .seconds(60)
    ) -> Reservation {
        reserve(operation, at: now, patience: patience, priority: priority)
    }

    /// What somebody is told who has waited for a turn.
    fileprivate func turn(
        _ place: Reservation,
        _ operation: AmazonPayOperation,
        _ priority: Priority,
        at now: Duration
    ) -> Reservation {
        guard case .later(_, let ticket) = place else { return place }
        return reserve(operation, at: now, patience: .seconds(60), priority: priority, ticket: ticket)
    }

    /// How many calls may go out at once, a thousand at most.
    fileprivate func burst(_ operation: AmazonPayOperation, _ priority: Priority = .purchase) -> Int {
        var count = 0
        while count < 1000, ask(operation, priority, patience: .zero) == .taken(after: .zero) { count += 1 }
        return count
    }
}
