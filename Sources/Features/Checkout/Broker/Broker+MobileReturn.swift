package import Commerce
package import Primitives
package import SessionBroker

// Webview sessions without a tab: an app starts the checkout with the provider's library, and both halves come to the
// merchant's server. From there on they are purchased as all webview sessions are.
extension Broker {
    /// Checks what a buyer came back with; changes nothing.
    ///
    /// - Parameters:
    ///   - mobileReturn: Both halves.
    /// - Returns: Whether the provider has to be asked first.
    /// - Throws: `limited` after too many wrong proofs; `unavailable`, `fault`.
    package func checkMobileReturn(
        _ mobileReturn: MobileReturn,
        by caller: Caller
    ) async throws(StoreError) -> MobileReturnOutcome {
        let evidence = evidence(mobileReturn)
        let shown = shownTokens(evidence)
        try admit(shown, by: caller)
        let found = try await store.readMobileReturn(evidence).outcome
        // The provider is not asked on behalf of those who have shown too much in vain.
        if case .unproven = found, let wait = limits.missWait(shown.webviewSession, caller, at: clock.monotonicNow()) {
            throw limited(wait, caller)
        }
        return found
    }

    /// Pins a checkout session that the provider says is this webview session's, so that it can be purchased.
    ///
    /// - Parameters:
    ///   - mobileReturn: Both halves; the session was read.
    ///   - markedSession: Whose the session is, as its mark says.
    ///   - details: Who buys and where to, sealed under what the halves make; `nil` where the provider does not say.
    /// - Returns: What became of it; without a refusal it can be purchased.
    /// - Throws: `limited` after too many wrong proofs; `unavailable`, `outcomeUnknown`, `fault`.
    package func arrive(
        _ mobileReturn: MobileReturn,
        markedSession: WebviewSessionID?,
        details: PrivateDetails?,
        by caller: Caller
    ) async throws(StoreError) -> MobileReturnOutcome {
        let evidence = evidence(mobileReturn)
        let shown = shownTokens(evidence)
        try admit(shown, by: caller)
        // The webview session id was signed into the payload: a session that came of another one is not ours to pin.
        guard markedSession == mobileReturn.webviewSession else {
            counters.count(.arrive, "foreign_session")
            return .refused(.orderMismatch)
        }
        var sealed: [UInt8]?
        if let details { sealed = try seal.seal(details, under: ticket(of: mobileReturn), random: random) }
        let done = try await store.arrive(evidence, sealed: sealed, by: caller)
        if done.isFound { counters.count(.arrive, done.word) }
        if case .unproven = done.outcome { try miss(shown, by: caller) }
        return done.outcome
    }

    /// The purchase of what has arrived: what the two halves make stands in for the return ticket, which here nobody holds.
    ///
    /// - Parameter mobileReturn: Both halves.
    package func purchaseRequest(of mobileReturn: MobileReturn) -> PurchaseRequest {
        var request = PurchaseRequest(ticket: ticket(of: mobileReturn), orderReference: mobileReturn.checkoutSession)
        request.proof = mobileReturn.proof
        request.verifier = mobileReturn.verifier
        return request
    }

    /// A mark by which an address is known again, and nothing else: who has the mark alone cannot even test a guess.
    ///
    /// - Parameters:
    ///   - proof: Token P of the webview session; the key.
    /// - Returns: HMAC-SHA256 of `sallyport/address/1`, the webview session id and all parts.
    package func mark(of address: Address, in webviewSession: WebviewSessionID, under proof: AppProof) -> Digest32 {
        let parts = PrivateDetails(buyer: Buyer(), address: address).bytes
        return proof.tag(of: Array("sallyport/address/1".utf8) + webviewSession.bytes + parts, using: mac)
    }

    /// Gives the lease of a purchase back that is not over, so that the merchant's next request need not wait for it.
    ///
    /// - Parameters:
    ///   - attempt: What `takeOver` or `purchase` returned.
    /// - Returns: False when the lease was lost to somebody else.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; then the lease runs out by itself.
    @discardableResult package func expireLease(
        _ attempt: PurchaseAttempt,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let isDone = try await store.expireLease(attempt.webviewSession, attempt: attempt.id, by: caller)
        counters.count(.lapse, isDone ? "lapsed" : "stale")
        return isDone
    }

    // MARK: Parts of a mobile return

    private func ticket(of mobileReturn: MobileReturn) -> ReturnTicket {
        ReturnTicket.derive(
            from: mobileReturn.proof,
            and: mobileReturn.checkoutSession,
            of: mobileReturn.webviewSession,
            using: mac
        )
    }

    private func evidence(_ mobileReturn: MobileReturn) -> PurchaseEvidence {
        evidence(purchaseRequest(of: mobileReturn))
    }
}
