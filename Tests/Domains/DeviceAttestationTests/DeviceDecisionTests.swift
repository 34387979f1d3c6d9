import Primitives
import TestKit
import Testing

@testable import DeviceAttestation

@Suite("A decision on a device")
struct DeviceDecisionTests {
    private static let month = DeviceMonth(WallTime(seconds: 1_795_900_000))
    private static let stored: [(DeviceState, DeviceBits)] = Array(
        zip([.known, .trialUsed, .paid, .blocked], DeviceBits.all)
    )

    private static func record(_ state: DeviceState, _ month: String? = "2026-11") -> DeviceRecord {
        guard let bits = stored.first(where: { $0.0 == state })?.1 else { return .neverSet }
        return .bits(bits, lastUpdate: month.flatMap { DeviceMonth($0) })
    }

    private static func decide(
        _ purpose: String,
        _ device: DeviceEvidence.Device,
        queued: DeviceState? = nil,
        hasTaken: Bool = false,
        pending: DeviceState? = nil,
        _ change: (inout DevicePolicy) -> Void = { _ in }
    ) throws -> DeviceDecision {
        var policy = try #require(DevicePolicies.usual.policy(of: purpose))
        change(&policy)
        let evidence = DeviceEvidence(device, queued: queued, hasTaken: hasTaken, pending: pending, month: month)
        return DevicePolicies.usual.decide(policy, on: evidence)
    }

    @Test func `is that of the table`() throws {
        let rows: [(String, [DeviceState])] = [
            ("free-trial", [.new, .known]), ("ticket-gift", [.new, .known]),
            ("purchase", [.new, .known, .trialUsed, .paid]), ("sign-up", [.new, .known, .trialUsed, .paid]),
        ]
        for (purpose, accepted) in rows {
            for state in DeviceState.allCases {
                let decision = try Self.decide(purpose, .record(Self.record(state)))
                #expect(decision.verdict == (accepted.contains(state) ? .allow : .deny), "\(purpose), \(state)")
                #expect(decision.state == state && decision.policyVersion == 1 && !decision.needsReview)
                #expect(decision.reason == (accepted.contains(state) ? .accepted : .stateRefused))
            }
        }
        #expect(try Self.decide("refund-abuse", .record(.neverSet)).reason == .decidesNothing)
    }

    @Test func `without a record goes by the policy`() throws {
        typealias Row = (String, DeviceUnknown, DeviceDecision.Verdict, Bool)
        let rows: [Row] = [
            ("free-trial", .unavailable, .unknown, false), ("free-trial", .credentials, .unknown, false),
            ("free-trial", .unsupported, .deny, false), ("free-trial", .badToken, .unknown, false),
            ("purchase", .unavailable, .allow, true), ("purchase", .credentials, .allow, true),
            ("purchase", .unsupported, .allow, true), ("purchase", .badToken, .allow, true),
            ("sign-up", .unavailable, .allow, true), ("sign-up", .unsupported, .allow, false),
            ("sign-up", .badToken, .allow, true), ("refund-abuse", .unavailable, .unknown, false),
        ]
        for (purpose, why, verdict, review) in rows {
            let decision = try Self.decide(purpose, .unknown(why))
            #expect(decision.verdict == verdict && decision.needsReview == review, "\(purpose), \(why)")
            #expect(decision.write == nil && decision.queuedWrite == nil)
        }
    }

    @Test func `gives a token that Apple refuses no more than none`() throws {
        for unsupported in DevicePolicy.Fallback.allCases {
            let decision = try Self.decide("free-trial", .unknown(.badToken)) {
                ($0.unavailable, $0.unsupported) = (.allow, unsupported)
            }
            #expect(decision.verdict == (unsupported.allows ? .allow : .unknown))
            #expect(decision.needsReview == unsupported.allows && decision.reason == .tokenRefused)
        }
    }

    @Test func `allows nothing for a token of another environment, whatever the policy`() throws {
        for policy in DevicePolicies.usual.policies {
            let decision = try Self.decide(policy.purpose, .unknown(.otherEnvironment)) {
                ($0.unavailable, $0.unsupported) = (.allow, .allow)
            }
            #expect(decision.verdict == .unknown)
        }
    }

    @Test func `counts a mark that waits at once, and writes it whatever comes of it`() throws {
        let denied = try Self.decide("purchase", .record(.neverSet), queued: .blocked)
        #expect(denied.verdict == .deny && denied.state == .blocked)
        let blocked = DeviceWrite(state: .blocked, bits: DeviceBits(bit0: true, bit1: true))
        #expect(denied.write == blocked && denied.queuedWrite == blocked)
        let away = try Self.decide("purchase", .unknown(.unavailable), queued: .blocked)
        #expect(away.verdict == .deny && away.reason == .stateRefused)
        let known = try Self.decide("sign-up", .record(Self.record(.known)), queued: .paid)
        #expect(known.verdict == .allow && known.write?.state == .paid)
        #expect(try Self.decide("sign-up", .record(Self.record(.blocked)), queued: .paid).write == nil)
    }

    @Test func `takes the stricter of device and account`() throws {
        for device in [DeviceEvidence.Device.record(.neverSet), .unknown(.unavailable), .unknown(.unsupported)] {
            let decision = try Self.decide("free-trial", device, hasTaken: true)
            #expect(decision.verdict == .deny && decision.reason == .accountUsed && decision.write == nil)
        }
        #expect(try Self.decide("purchase", .record(.neverSet), hasTaken: true).verdict == .allow)
        #expect(try Self.decide("free-trial", .record(Self.record(.paid))).verdict == .deny)
    }

    @Test func `lets an account finish what it began, and nothing more`() throws {
        let used = Self.record(.trialUsed)
        let own = try Self.decide("free-trial", .record(used), pending: .trialUsed)
        #expect(own.verdict == .allow && own.reason == .resumed && own.write == nil)
        #expect(try Self.decide("free-trial", .record(used), queued: .blocked, pending: .trialUsed).verdict == .deny)
        #expect(try Self.decide("free-trial", .record(Self.record(.paid)), pending: .trialUsed).verdict == .deny)
        #expect(try Self.decide("free-trial", .record(Self.record(.paid)), pending: .paid).verdict == .deny)
        #expect(try Self.decide("free-trial", .record(used), hasTaken: true, pending: .trialUsed).verdict == .deny)
    }

    @Test func `forgets a used trial after so many months, and stamps it again`() throws {
        let rows: [(String?, DeviceDecision.Verdict)] = [
            ("2024-11", .allow), ("2024-10", .allow), ("2024-12", .deny), ("2026-11", .deny), ("2027-01", .deny),
            (nil, .deny),
        ]
        for (month, verdict) in rows {
            let decision = try Self.decide("free-trial", .record(Self.record(.trialUsed, month))) {
                $0.ageAfterMonths = 24
            }
            #expect(decision.verdict == verdict, "\(month ?? "none")")
            #expect(decision.isMonthAhead == (month == "2027-01"))
            #expect(decision.write?.state == (verdict == .allow ? .trialUsed : nil))
            #expect(decision.reason == (verdict == .allow ? .aged : .stateRefused))
        }
        for state in [DeviceState.paid, .blocked] {
            let decision = try Self.decide("free-trial", .record(Self.record(state, "2001-01"))) {
                $0.ageAfterMonths = 24
            }
            #expect(decision.verdict == .deny)
        }
    }

    @Test func `of a quota goes by the month of the last change`() throws {
        func monthly(_ month: String?, _ state: DeviceState = .known) throws -> DeviceDecision {
            try Self.decide("sign-up", .record(Self.record(state, month))) { $0.everyMonths = 1 }
        }
        #expect(try monthly("2026-11").reason == .tooSoon && monthly(nil).reason == .tooSoon)
        #expect(try monthly("2026-12").reason == .tooSoon)
        let again = try monthly("2026-10")
        #expect(again.verdict == .allow && again.write?.bits == DeviceBits(bit0: false, bit1: false))
        #expect(try monthly("2026-10", .paid).write?.state == .paid)
        #expect(try monthly(nil, .new).write?.state == .known)
    }

    @Test func `never lowers a mark, whatever the table, the record and the policy`() throws {
        let random = SeededRandom(seed: 11)
        let marks = Array(DeviceState.allCases.dropFirst())
        func any<Value>(_ values: [Value]) -> Value { values[random.below(values.count)] }
        for _ in 0..<5_000 {
            let names = (0..<4).map { _ in any(marks) }
            guard let meaning = DeviceMeaning(version: 1, names: names) else { continue }
            var policy = any(DevicePolicies.usual.policies)
            policy.mark = any(marks)
            policy.accepted = Set(DeviceState.allCases.filter { _ in random.below(2) == 0 })
            policy.ageAfterMonths = any([nil, 1, 24])
            policy.everyMonths = any([nil, 1])
            let policies = DevicePolicies(version: 1, meaning: meaning, policies: [policy], events: [])
            let month = any([nil, "2020-01", "2026-11", "2030-01"]).flatMap { DeviceMonth($0) }
            let record = any([DeviceRecord.neverSet] + DeviceBits.all.map { .bits($0, lastUpdate: month) })
            let queued = any([nil] + marks.map(Optional.some))
            let decision = policies.decide(
                policy,
                on: DeviceEvidence(.record(record), queued: queued, month: Self.month)
            )
            for write in [decision.write, decision.queuedWrite].compactMap(\.self) {
                let after = meaning.state(of: .bits(write.bits, lastUpdate: nil))
                #expect(after == write.state && after >= meaning.state(of: record))
            }
            if let queued, decision.write == nil { #expect(meaning.shows(queued, in: record)) }
        }
    }
}

@Suite("A table of bits")
struct DeviceMeaningTests {
    private func change(_ meaning: DeviceMeaning?, _ bits: (Bool, Bool), _ state: DeviceState) throws -> [Bool]? {
        let record = DeviceRecord.bits(DeviceBits(bit0: bits.0, bit1: bits.1), lastUpdate: nil)
        return try #require(meaning).write(state, over: record).map { [$0.bits.bit0, $0.bits.bit1] }
    }

    @Test func `can have independent flags`() throws {
        let flags = DeviceMeaning(version: 1, names: [.known, .trialUsed, .blocked, .blocked])
        #expect(try change(flags, (false, false), .trialUsed) == [true, false])
        #expect(try change(flags, (true, false), .blocked) == [true, true])
        #expect(try change(flags, (false, false), .blocked) == [false, true])
        // No bits stand for a purchase: what lies below it is there, or written.
        #expect(try change(flags, (true, false), .paid) == nil)
        #expect(try change(flags, (false, false), .paid) == [true, false])
    }

    @Test func `can have one bit for each of two apps, and leaves the other's as it is`() throws {
        let first = DeviceMeaning(version: 1, names: [.known, .trialUsed, .known, .trialUsed])
        let second = DeviceMeaning(version: 1, names: [.known, .known, .trialUsed, .trialUsed])
        for other in [false, true] {
            #expect(try change(first, (false, other), .trialUsed) == [true, other])
            #expect(try change(second, (other, false), .trialUsed) == [other, true])
            #expect(try change(first, (true, other), .known) == nil)
            let record = DeviceRecord.bits(DeviceBits(bit0: true, bit1: other), lastUpdate: nil)
            #expect(first?.write(exactly: .known, over: record)?.bits == DeviceBits(bit0: false, bit1: other))
        }
    }

    @Test func `has a name for each pattern, one for known, and none for new`() {
        #expect(DeviceMeaning(version: 1, names: [.known, .known, .known]) == nil)
        #expect(DeviceMeaning(version: 1, names: [.paid, .paid, .paid, .blocked]) == nil)
        #expect(DeviceMeaning(version: 1, names: [.known, .new, .paid, .blocked]) == nil)
        #expect(DeviceMeaning.usual.state(of: .neverSet) == .new)
    }
}
