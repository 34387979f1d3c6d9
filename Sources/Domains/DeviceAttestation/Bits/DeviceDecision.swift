/// Why the record of a device is not known.
package enum DeviceUnknown: String, Sendable, Hashable, CaseIterable {
    /// The device makes no token, or its app says so.
    case unsupported
    /// Apple's service does not answer, or nothing that can be read.
    case unavailable
    /// Apple refuses our credentials or our requests.
    case credentials
    /// Apple refuses the token, and new ones as well.
    case badToken = "bad-token"
    /// The token is of an environment that unlocks nothing here.
    case otherEnvironment = "other-environment"
}

/// What is known when a decision is made.
package struct DeviceEvidence: Sendable, Equatable {
    /// What Apple says of a device, or why that is not known.
    package enum Device: Sendable, Equatable {
        /// Apple has said it.
        case record(DeviceRecord)
        /// It is not known.
        case unknown(DeviceUnknown)
    }

    /// What Apple says.
    package var device: Device
    /// The highest mark that waits for the account's next visit.
    package var queued: DeviceState?
    /// Whether the account has had the purpose before.
    package var hasTaken: Bool
    /// The state that the account's own unfinished claim has written, or was about to.
    package var pending: DeviceState?
    /// The month of now.
    package var month: DeviceMonth

    /// What is known now.
    package init(
        _ device: Device,
        queued: DeviceState? = nil,
        hasTaken: Bool = false,
        pending: DeviceState? = nil,
        month: DeviceMonth
    ) {
        self.device = device
        self.queued = queued
        self.hasTaken = hasTaken
        self.pending = pending
        self.month = month
    }
}

/// What came of a purpose, and why.
package struct DeviceDecision: Sendable, Equatable {
    /// What came of a purpose.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// The account gets it.
        case allow
        /// The account does not get it.
        case deny
        /// Cannot be told now.
        case unknown
    }

    /// Codes for apps and support.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The device's state is accepted.
        case accepted
        /// It is accepted because its mark is old enough.
        case aged
        /// The mark on the device is the account's own, of a claim that was not finished.
        case resumed
        /// The device's state, or a mark that waits for it, is refused.
        case stateRefused = "state-refused"
        /// The account has had it before.
        case accountUsed = "account-used"
        /// The last time is not long enough ago.
        case tooSoon = "too-soon"
        /// The device makes no token.
        case unsupported = "device-unsupported"
        /// Apple cannot be asked.
        case unavailable = "apple-unavailable"
        /// Apple refuses the tokens of the device.
        case tokenRefused = "device-token-refused"
        /// The token is of an environment that unlocks nothing here.
        case otherEnvironment = "other-environment"
        /// The purpose only marks devices.
        case decidesNothing = "decides-nothing"
    }

    /// What came of it.
    package let verdict: Verdict
    /// Why.
    package let reason: Reason
    /// The state that has counted; `nil` where nothing is known.
    package let state: DeviceState?
    /// Written whatever comes of it: a mark that has waited.
    package let queuedWrite: DeviceWrite?
    /// Written before what was allowed is given; holds the mark that has waited, too.
    package let write: DeviceWrite?
    /// Whether somebody is to look at it.
    package let needsReview: Bool
    /// Whether Apple's month lies in the future, and counts as the present one.
    package let isMonthAhead: Bool
    /// Of the policies.
    package let policyVersion: Int
}

extension DevicePolicies {
    /// The decision on a purpose.
    package func decide(_ policy: DevicePolicy, on evidence: DeviceEvidence) -> DeviceDecision {
        switch evidence.device {
        case .record(let record): decide(policy, on: record, evidence)
        case .unknown(let why): decide(policy, without: why, evidence)
        }
    }

    private func decide(
        _ policy: DevicePolicy,
        on record: DeviceRecord,
        _ evidence: DeviceEvidence
    ) -> DeviceDecision {
        let present = meaning.state(of: record)
        let queued = evidence.queued ?? .new
        let months = record.lastUpdate.map { evidence.month.months(since: $0) }
        let age = max(0, months ?? 0)
        let hasAged = present == .trialUsed && policy.ageAfterMonths.map { age >= $0 } ?? false
        let state = max(hasAged ? .known : present, queued)
        let isRecent = record.bits != nil && policy.everyMonths.map { age < $0 } ?? false
        let isResumed = evidence.pending == present && present > .new && queued <= present

        let (verdict, reason): (DeviceDecision.Verdict, DeviceDecision.Reason) =
            if !policy.decides {
                (.unknown, .decidesNothing)
            } else if policy.isOncePerAccount && evidence.hasTaken {
                (.deny, .accountUsed)
            } else if !policy.accepted.contains(state) {
                // Its own mark does not keep an account from what it was made for; a higher one does.
                isResumed && present == policy.mark ? (.allow, .resumed) : (.deny, .stateRefused)
            } else if isRecent {
                isResumed && present == policy.mark ? (.allow, .resumed) : (.deny, .tooSoon)
            } else {
                (.allow, hasAged && !policy.accepted.contains(present) ? .aged : .accepted)
            }
        let queuedWrite = meaning.write(queued, over: record)
        // What has counted as gone, or is counted from the last change, is stamped with the present month.
        let restamping = (hasAged || policy.everyMonths != nil) && reason != .resumed
        let write = meaning.write(max(queued, policy.mark ?? .new), over: record, restamping: restamping)
        return DeviceDecision(
            verdict: verdict,
            reason: reason,
            state: state,
            queuedWrite: queuedWrite,
            write: verdict == .allow && policy.mark != nil ? write : queuedWrite,
            needsReview: false,
            isMonthAhead: months.map { $0 < 0 } ?? false,
            policyVersion: version
        )
    }

    private func decide(
        _ policy: DevicePolicy,
        without why: DeviceUnknown,
        _ evidence: DeviceEvidence
    ) -> DeviceDecision {
        let verdict: DeviceDecision.Verdict
        var reason: DeviceDecision.Reason
        var needsReview = false
        if !policy.decides {
            (verdict, reason) = (.unknown, .decidesNothing)
        } else if policy.isOncePerAccount && evidence.hasTaken {
            (verdict, reason) = (.deny, .accountUsed)
        } else if let queued = evidence.queued, !policy.accepted.contains(queued) {
            (verdict, reason) = (.deny, .stateRefused)
        } else {
            let fallback: DevicePolicy.Fallback
            (fallback, reason) = policy.fallback(for: why)
            needsReview = fallback == .review
            verdict =
                switch fallback {
                case .allow, .review: .allow
                case .later: .unknown
                case .deny: .deny
                }
        }
        return DeviceDecision(
            verdict: verdict,
            reason: reason,
            state: evidence.queued,
            queuedWrite: nil,
            write: nil,
            needsReview: needsReview,
            isMonthAhead: false,
            policyVersion: version
        )
    }
}

extension DevicePolicy {
    /// What is decided without a record, and the code for it.
    fileprivate func fallback(for why: DeviceUnknown) -> (Fallback, DeviceDecision.Reason) {
        switch why {
        case .unsupported: (unsupported, .unsupported)
        case .unavailable, .credentials: (unavailable, .unavailable)
        // Anybody can send a token that Apple refuses, so it does no better than none.
        case .badToken: (unsupported.allows ? .review : .later, .tokenRefused)
        case .otherEnvironment: (.later, .otherEnvironment)
        }
    }
}
