import MerchantOrders
import Primitives
import Testing

@Suite("The reading of an object")
struct DuePollTests {
    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    private static func due(
        _ kind: ObjectKind,
        _ state: String?,
        polls: Int = 0,
        failures: Int = 0,
        age: Duration = .zero,
        isNotified: Bool = false,
        missing: Duration? = nil,
        tries: Int? = nil
    ) -> DuePoll {
        DuePoll(
            kind,
            "S01-0000000-0000001-C000001",
            of: UUIDBytes(high: 1, low: 2),
            state: state.map { ObjectState(rawValue: $0) },
            history: PollHistory(polls: polls, failures: failures, age: age, missing: missing),
            isNotified: isNotified,
            naming: tries.map { DueNaming(reference: "A-1001", tries: $0) }
        )
    }

    private static func seen(_ word: String) -> PollReading { .seen(ObjectState(rawValue: word)) }

    @Test func `that brings nothing new is followed by the next one of the schedule`() {
        let poll = Self.due(.refund, "RefundInitiated", polls: 1, age: .seconds(300))
        let next = PollOutcome.Step.again(after: .seconds(600), polls: 2, failures: 0)
        #expect(poll.outcome(Self.seen("RefundInitiated")) == PollOutcome(next, .same))
    }

    @Test func `that brings another state leaves the schedule to the ledger`() {
        let poll = Self.due(.refund, "RefundInitiated", polls: 1, age: .seconds(300))
        #expect(poll.outcome(Self.seen("Refunded")) == PollOutcome(.release, .changed))
        let fresh = Self.due(.charge, nil, isNotified: true)
        #expect(fresh.outcome(Self.seen("Authorized")) == PollOutcome(.release, .changed))
    }

    @Test func `that a message asked for is none of the schedule's`() {
        let poll = Self.due(.refund, "RefundInitiated", polls: 2, age: .seconds(400), isNotified: true)
        let next = PollOutcome.Step.again(after: .seconds(500), polls: 2, failures: 0)
        #expect(poll.outcome(Self.seen("RefundInitiated")) == PollOutcome(next, .same))
    }

    @Test func `of an object in its last state is the only one`() {
        let poll = Self.due(.charge, "Captured", isNotified: true)
        #expect(poll.outcome(Self.seen("Captured")) == PollOutcome(.end, .same))
    }

    @Test func `of a permission keeps the schedule of its life through all states but the last`() {
        let poll = Self.due(.permission, "Chargeable", age: Self.day * 30)
        let next = PollOutcome.Step.again(after: Self.day * 150 + Self.hour, polls: 1, failures: 0)
        #expect(poll.outcome(Self.seen("Chargeable")) == PollOutcome(next, .same))
        #expect(poll.outcome(Self.seen("NonChargeable")) == PollOutcome(next, .changed))
        #expect(poll.outcome(Self.seen("Closed")) == PollOutcome(.release, .changed))
    }

    @Test func `of a permission without its order's names is followed by others soon, and not counted`() {
        for (tries, pause) in [(0, 30), (1, 60), (2, 120), (6, 1_920), (7, 3_600), (8, 3_600)] {
            let poll = Self.due(.permission, "Chargeable", age: .seconds(60), tries: tries)
            let next = PollOutcome.Step.again(after: .seconds(pause), polls: 0, failures: 0, namings: tries + 1)
            #expect(poll.outcome(Self.seen("Chargeable"), .missing) == PollOutcome(next, .same), "\(tries)")
        }
        // One of the schedule's may come sooner.
        let late = Self.due(.permission, "Chargeable", age: Self.day * 30 - .seconds(600), tries: 7)
        let next = PollOutcome.Step.again(after: .seconds(600), polls: 0, failures: 0, namings: 8)
        #expect(late.outcome(Self.seen("Chargeable"), .missing) == PollOutcome(next, .same))
    }

    @Test(arguments: [(0, .shown), (0, .refused), (9, .missing)] as [(Int, NamingReading)])
    func `that shows the names, or after which they are not sent again, leaves the permission to its schedule`(
        tries: Int,
        reading: NamingReading
    ) {
        let poll = Self.due(.permission, "Chargeable", age: .seconds(60), tries: tries)
        let next = PollOutcome.Step.again(after: Self.day * 30 - .seconds(60), polls: 0, failures: 0)
        #expect(poll.outcome(Self.seen("Chargeable"), reading) == PollOutcome(next, .same))
        #expect(poll.outcome(Self.seen("Closed"), .refused) == PollOutcome(.release, .changed))
    }

    @Test func `without an answer leaves the names due`() {
        let poll = Self.due(.permission, "Chargeable", tries: 3)
        let next = PollOutcome.Step.again(after: .seconds(30), polls: 0, failures: 1, namings: 3)
        #expect(poll.outcome(.failed) == PollOutcome(next, .failed))
    }

    @Test func `without a turn counts as none, and so does a try to send names that had none`() {
        let poll = Self.due(
            .charge,
            "AuthorizationInitiated",
            polls: 4,
            failures: 2,
            age: Self.day * 3,
            missing: .seconds(600)
        )
        #expect(poll.outcome(.heldBack) == PollOutcome(.putBack, .failed))
        for tries in [0, 9] {
            let named = Self.due(.permission, "Chargeable", polls: 1, age: .seconds(60), tries: tries)
            let next = PollOutcome.Step.again(after: .seconds(5), polls: 1, failures: 0, namings: tries)
            #expect(named.outcome(Self.seen("Chargeable"), .heldBack) == PollOutcome(next, .same))
        }
    }

    @Test func `of an object that is not there is the last once it has not been there for an hour`() {
        let hour = PollOutcome.Step.againIfMissing(after: Self.hour)
        #expect(Self.due(.charge, "Authorized").outcome(.gone) == PollOutcome(hour, .failed))
        let early = PollOutcome.Step.againIfMissing(after: .seconds(600))
        let soon = Self.due(.charge, "Authorized", missing: .seconds(3_000))
        #expect(soon.outcome(.gone) == PollOutcome(early, .failed))
        let missing = Self.due(.charge, "Authorized", missing: Self.hour)
        #expect(missing.outcome(.gone) == PollOutcome(.end, .gone))
        // It was there after all.
        #expect(missing.outcome(Self.seen("Authorized")).word == .same)
    }

    @Test func `without an answer is repeated later and later, not counted, and not for ever`() {
        let poll = Self.due(.charge, "AuthorizationInitiated", polls: 4, failures: 2, age: Self.hour)
        let next = PollOutcome.Step.again(after: .seconds(120), polls: 4, failures: 3)
        #expect(poll.outcome(.failed) == PollOutcome(next, .failed))
        let old = Self.due(.charge, "AuthorizationInitiated", polls: 4, failures: 9, age: Self.day * 3)
        #expect(old.outcome(.failed) == PollOutcome(.end, .ended))
        let message = Self.due(.charge, "Captured", failures: 9, age: Self.day * 3, isNotified: true)
        #expect(message.outcome(.failed) == PollOutcome(.end, .ended))
    }

    @Test(
        arguments: [
            (.charge, "AuthorizationInitiated", true), (.charge, "CaptureInitiated", true),
            (.refund, "RefundInitiated", true), (.charge, "Authorized", false), (.permission, "Chargeable", false),
        ] as [(ObjectKind, String, Bool)]
    )
    func `at the end of the schedule calls a person where the object should have ended`(
        kind: ObjectKind,
        state: String,
        isAlarm: Bool
    ) {
        let poll = Self.due(kind, state, polls: 3, age: Self.day * 400)
        #expect(poll.outcome(Self.seen(state)) == PollOutcome(.end, isAlarm ? .ended : .same))
    }
}
