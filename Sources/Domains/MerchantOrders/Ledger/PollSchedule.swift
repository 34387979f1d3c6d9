/// Why the provider is asked about an object again and again; each reason has its rhythm and its end.
package enum PollSubject: String, Sendable, Hashable, CaseIterable {
    /// A session whose completion had no clear answer.
    case stuckPurchase = "stuck_purchase"
    /// A charge whose authorisation is being decided, up to a day.
    case pendingAuthorization = "pending_authorization"
    /// A charge that can be captured, 30 days.
    case authorized
    /// A charge whose capture is under way.
    case pendingCapture = "pending_capture"
    /// A refund that is under way.
    case pendingRefund = "pending_refund"
    /// A permission that can still change.
    case openPermission = "open_permission"

    /// The reason to ask about an object, or `nil` where there is none.
    ///
    /// A session is asked about only while its purchase is stuck, which its state does not show.
    ///
    /// - Parameters:
    ///   - state: Its state when it was last observed.
    package init?(_ kind: ObjectKind, _ state: ObjectState) {
        switch (kind, state) {
        case (.charge, .authorizationInitiated): self = .pendingAuthorization
        case (.charge, .authorized): self = .authorized
        case (.charge, .captureInitiated): self = .pendingCapture
        case (.refund, .refundInitiated): self = .pendingRefund
        case (.permission, _) where !state.isFinal(for: kind): self = .openPermission
        default: return nil
        }
    }
}

/// When to ask the provider about an object again, and when to stop.
///
/// Every poller has an end of its own, besides the two that all share: another state, and an object that the provider does not
/// know (404). Push messages come between and change nothing here: the reading that one asks for is not counted.
package enum PollSchedule {
    /// The pause before the first reading of an object that has come into a state.
    ///
    /// - Returns: None for a capture that is under way: most are through by then, and until it is read nothing can be refunded.
    package static func first(_ subject: PollSubject) -> Duration? {
        subject == .pendingCapture ? .zero : next(subject, polls: 0, age: .zero)
    }

    /// The pause before the next reading, or `nil` for the end.
    ///
    /// - Parameters:
    ///   - polls: How many readings the schedule has had so far, 0 or more.
    ///   - age: Since the object came into its state; of a stuck purchase, since the first try.
    /// - Returns: More than zero.
    package static func next(_ subject: PollSubject, polls: Int, age: Duration) -> Duration? {
        guard polls < bound(subject) else { return nil }
        if subject == .stuckPurchase { return age < life(subject) ? lease(polls) : nil }
        if let milestone = milestones(subject).first(where: { $0 > age + leeway }) { return milestone - age }
        for (until, pause) in steps(subject) where age < until { return pause }
        return nil
    }

    /// The pause before another try after readings that brought no answer, or `nil` for the end.
    ///
    /// Such a reading says nothing about the object and is not counted as one of its polls, but the object's life goes on.
    ///
    /// - Parameters:
    ///   - failures: How many readings in a row failed, 1 or more.
    ///   - age: As for `next`.
    /// - Returns: 30 seconds to a day, each twice the one before.
    package static func retry(_ subject: PollSubject, failures: Int, age: Duration) -> Duration? {
        guard age < life(subject) + day else { return nil }
        return doubled(.seconds(30), times: failures - 1, limit: day)
    }

    /// The pause after a question that had no turn under the account's limits: it counts as none.
    package static let heldBack = Duration.seconds(5)

    /// How often the names of an order are sent to its permission at most; a refusal ends it sooner.
    package static let namings = 10

    /// The pause before the next reading of a permission whose names were sent and not seen.
    ///
    /// - Parameter tries: How often they were sent, 1 or more.
    /// - Returns: 30 seconds to an hour, each twice the one before.
    package static func naming(tries: Int) -> Duration {
        doubled(.seconds(30), times: tries - 1, limit: hour)
    }

    /// How many readings of an object the schedule asks for in a whole life at most.
    ///
    /// - Returns: A bound that `next` keeps whatever the ages are; the rhythm itself stays below it.
    package static func bound(_ subject: PollSubject) -> Int {
        switch subject {
        case .stuckPurchase: 60
        case .pendingAuthorization: 45
        case .authorized: 8
        case .pendingCapture: 60
        case .pendingRefund: 90
        case .openPermission: 6
        }
    }

    /// The age from which on nothing is expected any more.
    ///
    /// - Returns: Hours to months.
    package static func life(_ subject: PollSubject) -> Duration {
        switch subject {
        case .stuckPurchase: day * 2
        case .pendingAuthorization: hour * 25
        case .authorized: day * 30 + hour
        case .pendingCapture: day * 14
        case .pendingRefund: day * 30
        case .openPermission: day * 395 + hour
        }
    }

    /// How long before a limit of an authorised charge merchants are notified.
    package static let expiryNotice = day

    /// Whether an authorised charge may be about to pass one of its limits: 7 days for an immediate capture, 30 for any.
    ///
    /// - Returns: True from a day before a limit until the limit.
    package static func mayExpireSoon(age: Duration) -> Bool {
        [day * 7, day * 30].contains { $0 - expiryNotice - leeway <= age && age < $0 }
    }

    /// How long the provider has to deny an object before it is believed that there is none.
    package static let missingLimit = hour

    /// Whether a person must look at an object when the schedule ends without another state.
    ///
    /// - Returns: False where the end of the schedule is in the nature of the object.
    package static func endsInAlarm(_ subject: PollSubject) -> Bool {
        switch subject {
        case .stuckPurchase, .pendingAuthorization, .pendingCapture, .pendingRefund: true
        case .authorized, .openPermission: false
        }
    }

    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3_600)
    private static let day = Duration.seconds(86_400)

    /// A reading that comes this close before a milestone stands for it.
    private static let leeway = Duration.seconds(5)

    /// Ages at which something is likely to have happened.
    private static func milestones(_ subject: PollSubject) -> [Duration] {
        switch subject {
        case .stuckPurchase: []
        case .pendingAuthorization: [.seconds(30), minute, minute * 2, minute * 5, minute * 10]
        // After a day, a day and an hour before a capture stops being immediate, the same before the authorisation ends, and
        // when it has.
        case .authorized: [day, day * 6, day * 7 - hour, day * 29, day * 30 + hour]
        case .pendingCapture, .pendingRefund: [minute, minute * 5, minute * 15]
        // When the buyer's data ends, and behind each of the two lives that a permission can have.
        case .openPermission: [day * 30, day * 180 + hour, day * 395 + hour]
        }
    }

    /// Behind the milestones: the pause that holds until an age.
    private static func steps(_ subject: PollSubject) -> [(until: Duration, pause: Duration)] {
        switch subject {
        case .stuckPurchase, .authorized, .openPermission: []
        case .pendingAuthorization: [(life(subject), hour)]
        case .pendingCapture: [(day, hour), (life(subject), day)]
        case .pendingRefund: [(day * 2, hour), (life(subject), day)]
        }
    }

    /// 45 seconds, the lease of a purchase, doubled at each recovery up to an hour.
    private static func lease(_ recoveries: Int) -> Duration {
        doubled(.seconds(45), times: recoveries, limit: hour)
    }

    private static func doubled(_ start: Duration, times: Int, limit: Duration) -> Duration {
        // Twenty doublings are more than any limit here; a shift by more could overflow.
        min(start * (1 << min(max(0, times), 20)), limit)
    }
}
