package import Commerce
import Primitives
package import SessionBroker

extension Broker {
    /// Allocates a webview session and its tokens for a merchant's server; the caller stores it, together with what only
    /// merchants' webview sessions have.
    ///
    /// The limits of addresses and installs do not count: a server has one address, and each webview session has a proof of its
    /// own.
    ///
    /// - Parameters:
    ///   - challenge: The challenge, if native code holds a verifier.
    /// - Returns: The webview session, bound to a fresh proof, or why there is none.
    package func allocate(_ client: ClientKind, _ order: Order, challenge: CodeChallenge?) -> AllocationOutcome {
        if lacksVerifier(client, challenge) { return .refused(.verifierRequired) }
        let webviewSession = WebviewSessionID(version7At: clock.now(), random: random)
        let proof = mintProof()
        let appHash = hash(proof)
        guard limits.admit(webviewSession, of: appHash, forKey: true, at: clock.monotonicNow()) else {
            counters.count(.issue, "too_many_sessions")
            return .refused(.tooManyWebviewSessions)
        }
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        let new = newWebviewSession(ticket, client, order, appHash, challenge)
        return .allocated(new, issued(new, ticket, proof))
    }
}
