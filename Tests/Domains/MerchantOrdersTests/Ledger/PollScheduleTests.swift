import MerchantOrders
import Testing

@Suite("The schedule of polls")
struct PollScheduleTests {
    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    /// The ages at which an object that never changes is read.
    private static func life(_ subject: PollSubject, delay: Duration = .zero) -> [Duration] {
        var ages: [Duration] = []
        var age = Duration.zero
        while let pause = PollSchedule.next(subject, polls: ages.count, age: age), ages.count < 1_000 {
            age += pause + delay
            ages.append(age)
        }
        return ages
    }

    @Test(arguments: PollSubject.allCases)
    func `ends, and asks no more often than its bound`(subject: PollSubject) {
        for delay in [Duration.zero, .seconds(1), .seconds(29), .seconds(600)] {
            let ages = Self.life(subject, delay: delay)
            #expect(!ages.isEmpty)
            #expect(ages.count <= PollSchedule.bound(subject))
            #expect(zip(ages, ages.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test(arguments: PollSubject.allCases)
    func `asks about an object until the end of its life and not after`(subject: PollSubject) throws {
        let ages = Self.life(subject)
        let last = try #require(ages.last)
        #expect(last >= PollSchedule.life(subject))
        #expect(last < PollSchedule.life(subject) + Self.day)
        for late in [PollSchedule.life(subject), PollSchedule.life(subject) + Self.day, Self.day * 3_650] {
            #expect(PollSchedule.next(subject, polls: 0, age: late) == nil)
        }
    }

    @Test(arguments: PollSubject.allCases)
    func `keeps its bound whatever the ages are`(subject: PollSubject) {
        let bound = PollSchedule.bound(subject)
        #expect(PollSchedule.next(subject, polls: bound - 1, age: .zero) != nil)
        #expect(PollSchedule.next(subject, polls: bound, age: .zero) == nil)
    }

    @Test func `reads a pending authorisation soon, then every hour for 25`() {
        let ages = Self.life(.pendingAuthorization)
        #expect(ages.prefix(5) == [.seconds(30), Self.minute, Self.minute * 2, Self.minute * 5, Self.minute * 10])
        #expect(zip(ages.dropFirst(4), ages.dropFirst(5)).allSatisfy { $1 - $0 == Self.hour })
        #expect(ages.count == 5 + 25)
    }

    @Test func `reads an authorised charge after a day, before each of its limits and when it has ended`() {
        let ages = [
            Self.day, Self.day * 6, Self.day * 7 - Self.hour, Self.day * 29, Self.day * 30 + Self.hour,
        ]
        #expect(Self.life(.authorized) == ages)
        #expect(ages.map { PollSchedule.mayExpireSoon(age: $0) } == [false, true, true, true, false])
        #expect(PollSchedule.mayExpireSoon(age: Self.day * 6 - .seconds(4)))
        #expect(!PollSchedule.mayExpireSoon(age: Self.day * 7))
    }

    @Test func `reads a capture at once that was left to the provider, and everything else after a pause`() {
        #expect(PollSchedule.first(.pendingCapture) == .zero)
        for subject in PollSubject.allCases where subject != .pendingCapture {
            #expect(PollSchedule.first(subject) == PollSchedule.next(subject, polls: 0, age: .zero))
        }
    }

    @Test func `reads a capture under way every hour for a day, then every day for 14`() {
        let ages = Self.life(.pendingCapture)
        #expect(ages.prefix(3) == [Self.minute, Self.minute * 5, Self.minute * 15])
        let pauses = zip(ages.dropFirst(2), ages.dropFirst(3)).map { $1 - $0 }
        #expect(pauses.filter { $0 == Self.hour }.count == 24)
        #expect(pauses.dropFirst(24).allSatisfy { $0 == Self.day })
        #expect(ages.count == 3 + 24 + 13)
    }

    @Test func `reads a refund every hour for two days, then every day for 30`() {
        let ages = Self.life(.pendingRefund)
        #expect(ages.prefix(3) == [Self.minute, Self.minute * 5, Self.minute * 15])
        let pauses = zip(ages.dropFirst(2), ages.dropFirst(3)).map { $1 - $0 }
        #expect(pauses.filter { $0 == Self.hour }.count == 48)
        #expect(ages.count == 3 + 48 + 28)
    }

    @Test func `reads a permission when something about it ends`() {
        #expect(
            Self.life(.openPermission) == [
                Self.day * 30, Self.day * 180 + Self.hour, Self.day * 395 + Self.hour,
            ]
        )
    }

    @Test func `asks about a stuck purchase after 45 seconds, twice as long each time, up to an hour`() {
        let pauses = (0..<9).map { PollSchedule.next(.stuckPurchase, polls: $0, age: .zero) }
        #expect(pauses == [45, 90, 180, 360, 720, 1_440, 2_880, 3_600, 3_600].map { .seconds($0) })
    }

    @Test func `takes a reading just before a milestone for the milestone`() {
        #expect(PollSchedule.next(.pendingAuthorization, polls: 0, age: .seconds(26)) == .seconds(34))
        #expect(PollSchedule.next(.pendingAuthorization, polls: 0, age: .seconds(24)) == .seconds(6))
    }

    @Test func `goes on by age where readings were missed`() {
        #expect(PollSchedule.next(.pendingRefund, polls: 0, age: Self.day * 3) == Self.day)
        #expect(PollSchedule.next(.authorized, polls: 0, age: Self.day * 8) == Self.day * 21)
    }

    @Test(arguments: PollSubject.allCases)
    func `waits longer after each failure, and not for ever`(subject: PollSubject) throws {
        var age = Duration.zero
        var failures = 0
        var last = Duration.zero
        while let pause = PollSchedule.retry(subject, failures: failures + 1, age: age), failures < 10_000 {
            #expect(pause >= last && pause <= Self.day)
            #expect(failures > 0 || pause == .seconds(30))
            last = pause
            age += pause
            failures += 1
        }
        #expect(failures > 0)
        #expect(age < PollSchedule.life(subject) + Self.day * 2)
        // Eleven doublings from 30 seconds, then one a day.
        #expect(failures <= 13 + Int((PollSchedule.life(subject) + Self.day) / Self.day))
    }

    @Test(
        arguments: [
            (.charge, "AuthorizationInitiated", .pendingAuthorization), (.charge, "Authorized", .authorized),
            (.charge, "CaptureInitiated", .pendingCapture), (.charge, "Captured", nil), (.charge, "Canceled", nil),
            (.charge, "Declined", nil), (.charge, "Surprise", nil), (.refund, "RefundInitiated", .pendingRefund),
            (.refund, "Refunded", nil), (.refund, "Declined", nil), (.permission, "Chargeable", .openPermission),
            (.permission, "NonChargeable", .openPermission), (.permission, "Surprise", .openPermission),
            (.permission, "Closed", nil), (.session, "Open", nil), (.session, "Completed", nil),
        ] as [(ObjectKind, String, PollSubject?)]
    )
    func `knows what there is to ask about`(kind: ObjectKind, state: String, subject: PollSubject?) {
        #expect(PollSubject(kind, ObjectState(rawValue: state)) == subject)
    }

    @Test func `calls a person where an object should have ended and has not`() {
        let alarming: Set<PollSubject> = [.stuckPurchase, .pendingAuthorization, .pendingCapture, .pendingRefund]
        #expect(Set(PollSubject.allCases.filter(PollSchedule.endsInAlarm)) == alarming)
    }
}
