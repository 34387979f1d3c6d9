import Commerce
package import Primitives
package import SessionBroker

extension Broker {
    /// Lets a purchase begin, once, when both halves prove that they belong together.
    ///
    /// After `begin` and `recover` the caller holds the lease: it calls the provider and ends with `settle` or `release`, or
    /// lets the lease run out when the provider's answer stays unknown.
    ///
    /// - Parameters:
    ///   - request: The return ticket and every proof the request carries.
    /// - Returns: The right to call the provider, the stored answer, or why there is none.
    /// - Throws: `limited` after too many unknown tickets and missing proofs; `unavailable`, `outcomeUnknown`, `fault`.
    package func purchase(_ request: PurchaseRequest, by caller: Caller) async throws(StoreError) -> BeginOutcome {
        guard request.tab.map({ $0.webviewSession == request.ticket.webviewSession }) != false else {
            counters.count(.purchase, "session_mismatch")
            return .refused(.webviewSessionMismatch)
        }
        let evidence = evidence(request)
        let shown = shownTokens(evidence)
        if let state = endedSessions.state(
            of: evidence.returnHash,
            with: evidence.appHash,
            at: clock.monotonicNow()
        ) {
            return .refused(.dead(state))
        }
        try admit(shown, by: caller)
        let attempt = UUIDBytes(version7At: clock.now(), random: random)
        let done = try await store.begin(evidence, freshAttempt: attempt, by: caller)
        counters.count(.purchase, done.word)
        guard case .refused(let refusal) = done.outcome else {
            limits.remember(shown)
            return done.outcome
        }
        guard !refusal.isMiss else {
            try miss(shown, by: caller)
            return done.outcome
        }
        limits.remember(shown)
        switch refusal {
        case .notReady(canMeet: true):
            if let ticket = try await meet(evidence, by: caller) { return .met(ticket) }
        case .dead(let state):
            endedSessions.insert(state, of: evidence.returnHash, with: evidence.appHash, at: clock.monotonicNow())
        default: break
        }
        return done.outcome
    }

    /// Checks both halves as a purchase would, and changes nothing.
    ///
    /// - Parameters:
    ///   - request: The return ticket and every proof the request carries.
    /// - Returns: Whether they belong together, or why a purchase would be refused.
    /// - Throws: `limited` after too many unknown tickets and missing proofs; `unavailable`, `fault`.
    package func check(_ request: PurchaseRequest, by caller: Caller) async throws(StoreError) -> CheckOutcome {
        guard request.tab.map({ $0.webviewSession == request.ticket.webviewSession }) != false else {
            return .refused(.webviewSessionMismatch)
        }
        let evidence = evidence(request)
        let shown = shownTokens(evidence)
        try admit(shown, by: caller)
        let found = try await store.check(evidence)
        counters.count(.check, found.word)
        if case .refused(let refusal) = found.outcome, refusal.isMiss { try miss(shown, by: caller) }
        return found.outcome
    }

    /// Ends an attempt with the provider's word.
    ///
    /// - Parameters:
    ///   - attempt: What `purchase` or `takeOver` returned.
    ///   - end: Authorized with the answer to the app, or declined with a reason.
    /// - Returns: False when the lease was lost to somebody else, who settles in our place: log it and do nothing.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; the recovery task looks after the webview session then.
    package func settle(
        _ attempt: PurchaseAttempt,
        as end: AttemptOutcome,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var end = end
        if case .declined(let reason) = end { end = .declined(reason: Broker.word(reason)) }
        let isDone = try await store.settle(attempt.webviewSession, attempt: attempt.id, as: end, by: caller)
        counters.count(.settle, isDone ? "settled" : "stale")
        return isDone
    }

    /// Gives the lease back because the provider is not ready: the webview session is placed again, and the next attempt has a
    /// new number.
    ///
    /// - Parameters:
    ///   - attempt: What `purchase` or `takeOver` returned.
    /// - Returns: False when the lease was lost to somebody else.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    @discardableResult package func release(
        _ attempt: PurchaseAttempt,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let isDone = try await store.release(attempt.webviewSession, attempt: attempt.id, by: caller)
        counters.count(.release, isDone ? "placed" : "stale")
        return isDone
    }

    /// Takes the lease of an overdue purchase; ask the provider what it knows first.
    ///
    /// - Parameters:
    ///   - webviewSession: One that the store has claimed as overdue, or one that was given up and that an operator ends.
    ///   - pause: How long it is not overdue again, counted from now; the lease has to be over too.
    /// - Returns: The attempt, with the number it had; `nil` when somebody else has it or it is over.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func takeOver(
        _ webviewSession: WebviewSessionID,
        pause: Duration = .zero,
        by caller: Caller
    ) async throws(StoreError) -> PurchaseAttempt? {
        let fresh = UUIDBytes(version7At: clock.now(), random: random)
        let attempt = try await store.takeOver(webviewSession, freshAttempt: fresh, pause: pause, by: caller)
        counters.count(.recover, attempt == nil ? "stale" : "recover")
        return attempt
    }

    /// Gives the lease of a purchase back whose recovery had no turn at the provider: it was no recovery.
    ///
    /// - Parameters:
    ///   - attempt: What `takeOver` returned.
    ///   - purchase: What it was before.
    /// - Returns: False when the lease was lost to somebody else.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; then the lease runs out by itself.
    package func putBack(
        _ attempt: PurchaseAttempt,
        _ purchase: OverduePurchase,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let isDone = try await store.putBack(purchase, attempt: attempt.id, by: caller)
        counters.count(.lapse, isDone ? "lapsed" : "stale")
        return isDone
    }

    /// Ends the recovery of a purchase that no further question will bring to its end; the webview session stays as it is, for
    /// a person.
    ///
    /// - Parameters:
    ///   - attempt: What `takeOver` or `purchase` returned.
    /// - Returns: False when the lease was lost to somebody else.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func giveUp(
        _ attempt: PurchaseAttempt,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let reason = Broker.word(reason)
        let isDone = try await store.giveUp(attempt.webviewSession, attempt: attempt.id, reason: reason, by: caller)
        counters.count(.giveUp, isDone ? "stuck" : "stale")
        return isDone
    }

    /// Lets the recovery task look again at a purchase that was given up.
    ///
    /// - Parameters:
    ///   - webviewSession: One of the store's `stuckPurchases`.
    ///   - reason: Who asks for it, a word for the trail.
    /// - Returns: False for a webview session that was not given up.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func resume(
        _ webviewSession: WebviewSessionID,
        reason: String = "operator",
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let isDone = try await store.resume(webviewSession, reason: Broker.word(reason), by: caller)
        counters.count(.giveUp, isDone ? "resumed" : "stale")
        return isDone
    }

    /// Hands a webview session whose session was seen completed to the recovery, although it was placed only or has ended
    /// unpaid.
    ///
    /// - Parameters:
    ///   - reason: Who saw it, a word for the trail.
    /// - Returns: False where it is in another state by now.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func reclaim(
        _ webviewSession: WebviewSessionID,
        session: String,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let fresh = UUIDBytes(version7At: clock.now(), random: random)
        let reason = Broker.word(reason)
        return try await store.reclaim(
            webviewSession,
            session: session,
            freshAttempt: fresh,
            reason: reason,
            pause: .zero,
            by: caller
        )
    }

    /// The order of a purchase that succeeded, for a quarter of an hour.
    ///
    /// - Parameters:
    ///   - ticket: Token C, from the receipt cookie or the query.
    ///   - tab: Token B of the jar; counts for client `browser` only.
    /// - Returns: The receipt, or which neutral page to show.
    /// - Throws: `limited`, `unavailable`, `fault`.
    package func receipt(
        _ ticket: ReturnTicket,
        proof: AppProof?,
        tab: TabToken?,
        by caller: Caller
    ) async throws(StoreError) -> ReceiptOutcome {
        let request = ReceiptRequest(
            webviewSession: ticket.webviewSession,
            returnHash: hash(ticket),
            appHash: proof.map { hash($0) },
            tabHash: tab.map { hash($0) }
        )
        let shown = ShownTokens(
            ticket.webviewSession,
            request.returnHash,
            proof: request.appHash,
            other: request.tabHash
        )
        try admit(shown, by: caller)
        let found = try await store.receipt(request)
        counters.count(.receipt, found.word)
        switch found.outcome {
        case .receipt(var view):
            view.details = try details(of: view.record, under: ticket)
            return .receipt(view)
        case .unknown: try miss(shown, by: caller)
        case .notBought, .over, .dead: break
        }
        return found.outcome
    }

    // MARK: Parts of a purchase

    func evidence(_ request: PurchaseRequest) -> PurchaseEvidence {
        PurchaseEvidence(
            webviewSession: request.ticket.webviewSession,
            returnHash: hash(request.ticket),
            appHash: request.proof.map { hash($0) },
            challenge: request.verifier?.digest,
            launchHash: request.launch.map { hash($0) },
            tabHash: request.tab.map { hash($0) },
            orderReference: request.orderReference,
            total: request.total?.amount
        )
    }

    func shownTokens(_ evidence: PurchaseEvidence) -> ShownTokens {
        ShownTokens(evidence.webviewSession, evidence.returnHash, proof: evidence.appHash, other: evidence.tabHash)
    }

    /// The second ticket of profile strict, when this is the first return to the app or a repeat of it.
    private func meet(_ evidence: PurchaseEvidence, by caller: Caller) async throws(StoreError) -> LaunchTicket? {
        guard policy.requiresMeeting else { return nil }
        let ticket = LaunchTicket.mint(for: evidence.webviewSession, random: random)
        let isMet = try await store.meet(evidence, freshLaunchHash: hash(ticket), by: caller)
        counters.count(.meet, isMet ? "met" : "stale")
        return isMet ? ticket : nil
    }
}
