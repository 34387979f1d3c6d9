import Primitives

/// What a device must be for a purpose, and what is written of it afterwards.
package struct DevicePolicy: Sendable, Equatable {
    /// What is decided where the device's record is not known.
    package enum Fallback: String, Sendable, Hashable, CaseIterable {
        /// The purpose is allowed.
        case allow
        /// It is allowed, and somebody looks at it.
        case review = "allow-and-review"
        /// Nothing is decided; the app asks later.
        case later
        /// The purpose is refused.
        case deny

        /// Whether the purpose is allowed.
        package var allows: Bool { self == .allow || self == .review }
    }

    /// As callers name the purpose.
    package let purpose: String
    /// The states in which it is allowed; all others are refused.
    ///
    /// Empty for a purpose that only marks.
    package var accepted: Set<DeviceState>
    /// Where Apple cannot be asked.
    package var unavailable: Fallback
    /// Where the device makes no token, or its app says so.
    package var unsupported: Fallback
    /// Written after success; `nil` for nothing.
    package var mark: DeviceState?
    /// After how many months a used trial counts as `known`; `nil` for never.
    package var ageAfterMonths: Int?
    /// The purpose is allowed once in so many months, by the month of the last change; `nil` without this limit.
    package var everyMonths: Int?
    /// Whether an account gets it once, whatever device it comes from.
    package var isOncePerAccount: Bool

    /// Whether there is anything to decide.
    package var decides: Bool { !accepted.isEmpty }

    /// Whether it gives something that is to be had once: a device without a token must not do better than a used one.
    package var isScarce: Bool { decides && (everyMonths != nil || !accepted.isSuperset(of: [.trialUsed, .paid])) }
}

/// The rules of a team: what its bits mean, what each purpose wants, and which state an event stands for.
package struct DevicePolicies: Sendable, Equatable {
    /// The number of the edition, which each decision carries.
    package let version: Int
    /// The table of the bits.
    package let meaning: DeviceMeaning
    /// One for each purpose, by its name.
    package let policies: [DevicePolicy]
    /// The events that mark a device, by their names.
    package let events: [Event]

    /// An event that marks a device.
    package struct Event: Sendable, Equatable {
        /// As callers send it.
        package let name: String
        /// The state that it raises a device to.
        package let mark: DeviceState
    }

    /// The policy of a purpose, or `nil` for an unknown one.
    package func policy(of purpose: String) -> DevicePolicy? {
        policies.first { $0.purpose.octets == purpose.octets }
    }

    /// The state that an event raises a device to, or `nil` for an unknown one.
    package func mark(of event: String) -> DeviceState? { events.first { $0.name.octets == event.octets }?.mark }

    /// The rules of a team that has no file.
    package static let usual = DevicePolicies(
        version: 1,
        meaning: .usual,
        policies: [gift("free-trial"), gift("ticket-gift"), purchase, signUp, refundAbuse],
        events: usualEvents
    )

    static let usualEvents = [
        Event(name: "signed-up", mark: .known), Event(name: "trial-started", mark: .trialUsed),
        Event(name: "gift-given", mark: .trialUsed), Event(name: "purchased", mark: .paid),
        Event(name: "refund-abuse", mark: .blocked), Event(name: "fraud", mark: .blocked),
    ]

    private static func gift(_ purpose: String) -> DevicePolicy {
        DevicePolicy(
            purpose: purpose,
            accepted: [.new, .known],
            unavailable: .later,
            unsupported: .deny,
            mark: .trialUsed,
            isOncePerAccount: true
        )
    }

    private static let purchase = DevicePolicy(
        purpose: "purchase",
        accepted: [.new, .known, .trialUsed, .paid],
        unavailable: .review,
        unsupported: .review,
        mark: .paid,
        isOncePerAccount: false
    )

    private static let signUp = DevicePolicy(
        purpose: "sign-up",
        accepted: [.new, .known, .trialUsed, .paid],
        unavailable: .review,
        unsupported: .allow,
        mark: .known,
        isOncePerAccount: false
    )

    private static let refundAbuse = DevicePolicy(
        purpose: "refund-abuse",
        accepted: [],
        unavailable: .later,
        unsupported: .later,
        mark: .blocked,
        isOncePerAccount: false
    )
}
