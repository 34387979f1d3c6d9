package import Commerce
package import Primitives

/// A webview session as a statement left it; holds hashes and sealed bytes, never a token.
package struct WebviewSessionRecord: Sendable {
    /// Of the webview session.
    package let id: WebviewSessionID
    /// Fixed at the issue.
    package let client: ClientKind
    /// After the statement.
    package let state: WebviewSessionState
    /// What tickets and pages are compared with.
    package let marks: Marks
    /// What is bought.
    package let order: Order
    /// `nil` before the review.
    package let postage: Yen?
    /// Order with tax and postage; `nil` before the review.
    package let total: Yen?
    /// The terms of the order besides its price, as they were written at the opening of the webview session; `nil` for the
    /// shop's own.
    package let terms: [UInt8]?
    /// The provider's checkout session; `nil` before the review.
    package let orderReference: String?
    /// Profile strict: both halves have met.
    package let isMet: Bool
    /// How far the purchase has come; `nil` where a statement only looks for a page.
    package let progress: Progress?
    /// The sealed private details, where they were asked for and are there.
    package let sealed: [UInt8]?

    /// A record.
    ///
    /// - Parameters:
    ///   - identity: Which webview session, whose, in which state.
    ///   - marks: What tickets and pages are compared with.
    ///   - money: What is bought and for how much.
    ///   - orderReference: The provider's checkout session.
    ///   - isMet: Whether both halves have met.
    ///   - progress: How far the purchase has come.
    ///   - sealed: The sealed private details.
    package init(
        _ identity: Identity,
        marks: Marks,
        money: Money,
        orderReference: String?,
        isMet: Bool,
        progress: Progress?,
        sealed: [UInt8]?
    ) {
        id = identity.id
        client = identity.client
        state = identity.state
        self.marks = marks
        order = money.order
        postage = money.postage
        total = money.total
        terms = money.terms
        self.orderReference = orderReference
        self.isMet = isMet
        self.progress = progress
        self.sealed = sealed
    }
}

extension WebviewSessionRecord {
    /// Which webview session, whose, in which state.
    package struct Identity: Sendable {
        let id: WebviewSessionID
        let client: ClientKind
        let state: WebviewSessionState

        /// An identity.
        ///
        /// - Parameters:
        ///   - id: Of the webview session.
        ///   - client: Whose.
        ///   - state: Where it stands.
        package init(id: WebviewSessionID, client: ClientKind, state: WebviewSessionState) {
            self.id = id
            self.client = client
            self.state = state
        }
    }

    /// What tickets and pages of a webview session are compared with.
    package struct Marks: Sendable {
        /// The hash of the launch ticket.
        let launchHash: Digest32
        /// What the confirm page shows; `nil` before the review.
        let shown: Digest32?

        /// Marks.
        ///
        /// - Parameters:
        ///   - launchHash: The hash of the launch ticket.
        ///   - shown: What the confirm page shows.
        package init(launchHash: Digest32, shown: Digest32?) {
            self.launchHash = launchHash
            self.shown = shown
        }
    }

    /// What is bought, for how much, and what was agreed on besides.
    package struct Money: Sendable {
        let order: Order
        let postage: Yen?
        let total: Yen?
        let terms: [UInt8]?

        /// Sums.
        ///
        /// - Parameters:
        ///   - order: What is bought.
        ///   - postage: `nil` before the review.
        ///   - total: `nil` before the review.
        ///   - terms: As they were written at the opening of the webview session; `nil` for the shop's own.
        package init(order: Order, postage: Yen?, total: Yen?, terms: [UInt8]?) {
            self.order = order
            self.postage = postage
            self.total = total
            self.terms = terms
        }
    }

    /// How far a purchase has come.
    package struct Progress: Sendable {
        /// How many times the order was placed.
        package let placements: Int
        /// How many purchases began.
        package let attempt: Int
        /// Fences the attempt under way, or the last one; `nil` before the first.
        package let attemptID: UUIDBytes?
        /// The answer to the purchase, byte for byte; `nil` before success.
        package let result: [UInt8]?

        /// Progress.
        ///
        /// - Parameters:
        ///   - placements: How many times the order was placed.
        ///   - attempt: How many purchases began.
        ///   - attemptID: Fences the attempt.
        ///   - result: The answer to the purchase.
        package init(placements: Int, attempt: Int, attemptID: UUIDBytes?, result: [UInt8]?) {
            self.placements = placements
            self.attempt = attempt
            self.attemptID = attemptID
            self.result = result
        }
    }
}

/// What a guarded statement decided, and the webview session as it left it.
package struct Transition<Decision: Sendable>: Sendable {
    /// The verdict, taken on the very row that was changed.
    package let decision: Decision
    /// The row after it.
    package let record: WebviewSessionRecord

    /// A transition.
    ///
    /// - Parameters:
    ///   - decision: The verdict.
    ///   - record: The row after it.
    package init(_ decision: Decision, _ record: WebviewSessionRecord) {
        self.decision = decision
        self.record = record
    }
}
