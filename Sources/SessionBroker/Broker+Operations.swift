package import Primitives

extension Broker {
    /// The status of a webview session for the app that asked for it.
    ///
    /// - Parameters:
    ///   - ticket: Token A.
    ///   - proof: Token P of the jar; without it there is no answer.
    ///   - caller: Where it comes from.
    /// - Returns: A name without data, or `nil`: 404.
    /// - Throws: `limited`, `unavailable`, `fault`.
    package func status(
        _ ticket: LaunchTicket,
        proof: AppProof?,
        by caller: Caller
    ) async throws(StoreError) -> WebviewSessionStatus? {
        let appHash = proof.map { hash($0) }
        let launchHash = hash(ticket)
        let shown = ShownTokens(ticket.webviewSession, launchHash, proof: appHash)
        try admit(shown, by: caller)
        var status: WebviewSessionStatus?
        if let appHash { status = try await store.status(ticket.webviewSession, launch: launchHash, app: appHash) }
        counters.count(.status, status?.rawValue ?? "unknown")
        if status == nil { try miss(shown, by: caller) } else { limits.remember(shown) }
        return status
    }

    /// Writes down that a prefetch presented a launch ticket and was refused; the webview session goes on.
    ///
    /// Any page can have a visitor's browser send such requests, so none counts against the visitor's address; after some in a
    /// second those about tickets that this process does not know are not looked up.
    ///
    /// - Parameters:
    ///   - ticket: Token A.
    ///   - caller: Where it comes from.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func notePrefetch(_ ticket: LaunchTicket, by caller: Caller) async throws(StoreError) {
        _ = try await observe(.prefetchRefused, ticket.webviewSession, hash(ticket), by: caller)
    }

    /// Writes down that a token came over a connection without encryption, and revokes its webview session if it still can be.
    ///
    /// - Parameters:
    ///   - token: Whichever it is.
    ///   - caller: Where it comes from.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func notePlaintext<Role>(_ token: WebviewSessionToken<Role>, by caller: Caller) async throws(StoreError) {
        if let wait = try await observe(.plaintext, token.webviewSession, hash(token), by: caller) {
            throw limited(wait, caller)
        }
    }

    /// Revokes one webview session, for an operator.
    ///
    /// - Parameters:
    ///   - webviewSession: Any id.
    ///   - caller: The operator.
    /// - Returns: False for a webview session that is final, at the provider, or not there.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func revoke(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> Bool {
        let isDone = try await store.revoke(webviewSession, by: caller)
        counters.count(.close, isDone ? "revoked" : "stale")
        return isDone
    }

    /// Revokes all webview sessions of an install, for an operator.
    ///
    /// - Parameters:
    ///   - install: SHA-256 of the app proof, as the database holds it; `nil` revokes the webview sessions of all installs.
    ///   - caller: The operator.
    /// - Returns: How many were revoked; those final or at the provider stay.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`: some may have been revoked, repeat it.
    package func revokeAll(install: Digest32?, by caller: Caller) async throws(StoreError) -> Int {
        try await store.revokeAll(install: install, by: caller)
    }

    /// The audit trail of a webview session, in order.
    ///
    /// - Parameter webviewSession: Any id.
    /// - Returns: Empty for a webview session that is not there.
    /// - Throws: `unavailable`, `fault`.
    package func audit(_ webviewSession: WebviewSessionID) async throws(StoreError) -> [AuditEvent] {
        try await store.audit(webviewSession)
    }

    /// The newest rows of the audit trail that should worry an operator.
    ///
    /// - Parameters:
    ///   - since: How far to look back.
    ///   - limit: How many at most.
    /// - Returns: Newest first.
    /// - Throws: `unavailable`, `fault`.
    package func alerts(since: WallTime, limit: Int = 1_000) async throws(StoreError) -> [AuditEvent] {
        try await store.alerts(since: since, limit: limit)
    }

    /// Notes something about a token whose request is refused anyway.
    ///
    /// - Returns: The seconds to wait where it was not looked up, or `nil`.
    private func observe(
        _ observation: Observation,
        _ webviewSession: WebviewSessionID,
        _ token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Int? {
        if let wait = limits.noteWait(ShownTokens(webviewSession, token), by: caller, at: clock.monotonicNow()) {
            return wait
        }
        let isKnown = try await store.observe(observation, webviewSession: webviewSession, token: token, by: caller)
        counters.count(.observe, isKnown ? observation.rawValue : "unknown")
        return nil
    }
}
