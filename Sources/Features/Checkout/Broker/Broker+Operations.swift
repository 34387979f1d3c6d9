package import Primitives
package import SessionBroker

extension Broker {
    /// The status of a webview session for the app that asked for it.
    ///
    /// - Parameters:
    ///   - proof: Token P of the jar; without it there is no answer.
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
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func notePrefetch(_ ticket: LaunchTicket, by caller: Caller) async throws(StoreError) {
        _ = try await observe(.prefetchRefused, ticket.webviewSession, hash(ticket), by: caller)
    }

    /// Writes down that a token came over a connection without encryption, and revokes its webview session if it still can be.
    ///
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func notePlaintext<Role>(_ token: WebviewSessionToken<Role>, by caller: Caller) async throws(StoreError) {
        if let wait = try await observe(.plaintext, token.webviewSession, hash(token), by: caller) {
            throw limited(wait, caller)
        }
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
