package import Primitives

extension Broker {
    /// The status of a flow for the app that asked for it.
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
    ) async throws(StoreError) -> FlowStatus? {
        let appHash = proof.map { hash($0) }
        let launchHash = hash(ticket)
        let shown = ShownTokens(ticket.flow, launchHash, proof: appHash)
        try admit(shown, by: caller)
        var status: FlowStatus?
        if let appHash { status = try await store.status(ticket.flow, launch: launchHash, app: appHash) }
        counters.count(.status, status?.rawValue ?? "unknown")
        if status == nil { try miss(shown, by: caller) } else { limits.remember(shown) }
        return status
    }

    /// Writes down that a prefetch presented a launch ticket and was refused; the flow goes on.
    ///
    /// Any page can have a visitor's browser send such requests, so none counts against the visitor's address; after some in a
    /// second those about tickets that this process does not know are not looked up.
    ///
    /// - Parameters:
    ///   - ticket: Token A.
    ///   - caller: Where it comes from.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func notePrefetch(_ ticket: LaunchTicket, by caller: Caller) async throws(StoreError) {
        _ = try await observe(.prefetchRefused, ticket.flow, hash(ticket), by: caller)
    }

    /// Writes down that a token came over a connection without encryption, and revokes its flow if it still can be.
    ///
    /// - Parameters:
    ///   - token: Whichever it is.
    ///   - caller: Where it comes from.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func notePlaintext<Role>(_ token: FlowToken<Role>, by caller: Caller) async throws(StoreError) {
        if let wait = try await observe(.plaintext, token.flow, hash(token), by: caller) {
            throw limited(wait, caller)
        }
    }

    /// Revokes one flow, for an operator.
    ///
    /// - Parameters:
    ///   - flow: Any id.
    ///   - caller: The operator.
    /// - Returns: False for a flow that is final, at the provider, or not there.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func revoke(_ flow: FlowID, by caller: Caller) async throws(StoreError) -> Bool {
        let isDone = try await store.revoke(flow, by: caller)
        counters.count(.close, isDone ? "revoked" : "stale")
        return isDone
    }

    /// Revokes all flows of an install, for an operator.
    ///
    /// - Parameters:
    ///   - install: SHA-256 of the app proof, as the database holds it; `nil` revokes the flows of all installs.
    ///   - caller: The operator.
    /// - Returns: How many were revoked; those final or at the provider stay.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`: some may have been revoked, repeat it.
    package func revokeAll(install: Digest32?, by caller: Caller) async throws(StoreError) -> Int {
        try await store.revokeAll(install: install, by: caller)
    }

    /// The audit trail of a flow, in order.
    ///
    /// - Parameter flow: Any id.
    /// - Returns: Empty for a flow that is not there.
    /// - Throws: `unavailable`, `fault`.
    package func audit(_ flow: FlowID) async throws(StoreError) -> [AuditEvent] {
        try await store.audit(flow)
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
        _ flow: FlowID,
        _ token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Int? {
        if let wait = limits.noteWait(ShownTokens(flow, token), by: caller, at: clock.monotonicNow()) { return wait }
        let isKnown = try await store.observe(observation, flow: flow, token: token, by: caller)
        counters.count(.observe, isKnown ? observation.rawValue : "unknown")
        return nil
    }
}
