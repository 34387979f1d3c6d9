package import Primitives

/// One row of the audit trail; no token, no personal data.
package struct AuditEvent: Sendable, Hashable {
    /// Which flow.
    package let flow: FlowID
    /// 1 for the issue, then one more each.
    package let ordinal: Int
    /// By the clock of the database.
    package let at: WallTime
    /// `issue`, `open`, `tab`, `review`, `place`, `unplace`, `decline`, `purchase`, `meet`, `release`, `settle`, `recover`,
    /// `give_up`, `resume`, `reclaim`, `cancel`, `close`, `sweep`, `plaintext`, `prefetch_refused`.
    package let operation: String
    /// The word of the verdict.
    package let verdict: String
    /// After the statement.
    package let state: FlowState
    /// Why, in one word, where the operation has a reason.
    package let reason: String?
    /// Truncated address and fingerprint of the user agent, or a word for the program itself.
    package let peer: String
    /// The id of the request.
    package let request: String
    /// The provider's id of the call whose answer settled a purchase.
    package var providerRequest: String?

    /// A row.
    ///
    /// - Parameters:
    ///   - place: Flow, ordinal and time.
    ///   - operation: Which statement.
    ///   - verdict: The word of the verdict.
    ///   - state: After the statement.
    ///   - reason: Why, in one word.
    ///   - origin: Peer and request.
    package init(
        at place: (flow: FlowID, ordinal: Int, at: WallTime),
        operation: String,
        verdict: String,
        state: FlowState,
        reason: String?,
        origin: (peer: String, request: String)
    ) {
        flow = place.flow
        ordinal = place.ordinal
        at = place.at
        self.operation = operation
        self.verdict = verdict
        self.state = state
        self.reason = reason
        peer = origin.peer
        request = origin.request
    }
}

/// What one step of the sweep did.
package struct SweepStep: Sendable, Equatable {
    /// How many flows were looked at; fewer than asked for means that this was the last step.
    package let visited: Int
    /// How many of them expired now.
    package let expired: Int
    /// The last flow looked at, where the next step starts; `nil` when there was none.
    package let last: FlowID?
    /// The first flow looked at that has not come to its end: it is being bought, or not overdue after all.
    package let held: FlowID?

    /// A step.
    ///
    /// - Parameters:
    ///   - visited: How many flows were looked at.
    ///   - expired: How many of them expired now.
    ///   - last: The last flow looked at.
    ///   - held: The first flow looked at that has not come to its end.
    package init(visited: Int, expired: Int, last: FlowID?, held: FlowID? = nil) {
        self.visited = visited
        self.expired = expired
        self.last = last
        self.held = held
    }
}

/// What one reading of a count came to.
package struct CountStep: Sendable, Equatable {
    /// How many live flows there were.
    package let live: Int
    /// The last flow looked at, where there may be more behind it; `nil` at the end of the range.
    package let last: FlowID?

    /// A step.
    package init(live: Int, last: FlowID?) {
        self.live = live
        self.last = last
    }
}
