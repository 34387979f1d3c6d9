import Primitives
import TestKit
import Testing

@testable import AmazonPay

@Suite("The pace of calls")
struct PaceTests {
    @Test func `is a burst, then a steady rate, in the order of arrival`() {
        var bucket = TokenBucket(burst: 3, perSecond: 2)
        let waits = (0..<6).map { _ in bucket.take(at: .seconds(10), patience: .seconds(60)) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(500), .seconds(1), .milliseconds(1500)])
    }

    @Test func `costs an impatient caller nothing`() {
        var bucket = TokenBucket(burst: 1, perSecond: 1)
        #expect(bucket.take(at: .zero, patience: .zero) == .zero)
        #expect(bucket.take(at: .zero, patience: .milliseconds(999)) == nil)
        #expect(bucket.take(at: .zero, patience: .seconds(1)) == .seconds(1))
        #expect(bucket.take(at: .seconds(2), patience: .zero) == .zero)
    }

    @Test func `fills up again, but not above the burst`() {
        var bucket = TokenBucket(burst: 2, perSecond: 1)
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

    @Test(arguments: [CallQuota.Limits.live, .sandbox])
    func `stays a tenth under the vendor's burst and rate`(limits: CallQuota.Limits) {
        #expect(Set(Self.table.map(\.0)) == Set(AmazonPayOperation.allCases))
        for (operation, live, sandbox) in Self.table {
            let row = limits == .live ? live : sandbox
            let quota = CallQuota(limits)
            var count = 0
            while quota.reserve(operation, at: .zero, patience: .zero) == .taken(after: .zero), count < 100 {
                count += 1
            }
            #expect(count == row.0 * 9 / 10, "\(operation)")
            #expect(quota.reserve(operation, at: .zero, patience: .zero) == .never)
            guard case .taken(let wait) = quota.reserve(operation, at: .zero, patience: .seconds(60)) else {
                Issue.record("\(operation) waits for ever")
                continue
            }
            #expect(abs(wait / .seconds(1) * row.1 * 0.9 - 1) < 0.001, "\(operation)")
            for other in AmazonPayOperation.allCases where other != operation {
                #expect(quota.reserve(other, at: .zero, patience: .zero) == .taken(after: .zero))
            }
        }
    }

    @Test func `has no limit where there is none`() {
        let quota = CallQuota(.unlimited)
        for priority in [Priority.buyer, .background] {
            for _ in 0..<1000 {
                let place = quota.reserve(.complete, at: .zero, patience: .zero, priority: priority)
                #expect(place == .taken(after: .zero))
            }
        }
    }

    @Test func `leaves a quarter of the burst to those who are waited for`() {
        let quota = CallQuota(.live)
        func ask(_ priority: Priority, at now: Duration = .zero) -> CallQuota.Reservation {
            quota.reserve(.getCharge, at: now, patience: .seconds(60), priority: priority)
        }
        var count = 0
        while ask(.background) == .taken(after: .zero), count < 100 { count += 1 }
        // Of 18, which is the vendor's 20 less a tenth.
        #expect(count == 13)
        // Asking for more takes nothing away.
        for _ in 0..<100 { #expect(ask(.background) != .taken(after: .zero)) }
        for _ in 0..<5 { #expect(ask(.buyer) == .taken(after: .zero)) }
        guard case .taken(let buyers) = ask(.buyer), case .later(let others) = ask(.background) else {
            Issue.record("nobody waits")
            return
        }
        #expect(buyers > .zero)
        #expect(others > buyers)
        #expect(ask(.background, at: others - .milliseconds(1)) != .taken(after: .zero))
        #expect(ask(.background, at: others) == .taken(after: .zero))
    }

    @Test func `lets nobody's call go out only when there is time for it`() {
        let quota = CallQuota(.sandbox)
        func ask(_ patience: Duration) -> CallQuota.Reservation {
            quota.reserve(.capture, at: .zero, patience: patience, priority: .background)
        }
        // A bucket of one has no quarter to leave.
        #expect(ask(.zero) == .taken(after: .zero))
        #expect(ask(.seconds(1)) == .never)
        guard case .later = ask(.seconds(2)) else {
            Issue.record("does not wait")
            return
        }
    }

    @Test func `of retries is drawn evenly below a growing bound`() {
        let policy = RetryPolicy()
        let random = SeededRandom(seed: 1)
        for (failures, bound) in [(1, 200), (2, 400), (3, 800), (6, 5000), (60, 5000)] {
            let pauses = (0..<200).map { _ in policy.pause(after: failures, random: random) }
            #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .milliseconds(bound) })
            #expect(pauses.contains { $0 < .milliseconds(bound) / 4 })
            #expect(pauses.contains { $0 > .milliseconds(bound) / 4 * 3 })
        }
    }
}
