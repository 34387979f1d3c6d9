package import Commerce
import Primitives

/// What the drawing of a merchant's flow came to.
package enum AllocationOutcome: Sendable {
    /// A flow to be stored, and its tokens; the proof is always there.
    case allocated(NewFlow, IssuedFlow)
    /// All together have too many live flows: 429.
    case tooManyFlows
    /// The policy wants a challenge of this client and there is none: 400.
    case verifierRequired
}

extension Broker {
    /// Allocates a flow and its tokens for a merchant's server; whoever asked stores it, together with what only merchants' flows have.
    ///
    /// The limits of addresses and installs do not count: a server has one address, and each flow has a proof of its own.
    ///
    /// - Parameters:
    ///   - client: Where the buyer is.
    ///   - order: At the merchant's prices.
    ///   - challenge: The challenge, if native code holds a verifier.
    /// - Returns: The flow, bound to a fresh proof, or why there is none.
    package func allocate(_ client: ClientKind, _ order: Order, challenge: CodeChallenge?) -> AllocationOutcome {
        if policy.verifier == .required, client.isApp, challenge == nil {
            counters.count(.issue, "verifier_required")
            return .verifierRequired
        }
        let flow = FlowID(version7At: clock.now(), random: random)
        let proof = mintProof()
        let appHash = hash(proof)
        guard limits.admit(flow, of: appHash, forKey: true, at: clock.monotonicNow()) else {
            counters.count(.issue, "too_many_flows")
            return .tooManyFlows
        }
        let ticket = LaunchTicket.mint(for: flow, random: random)
        let new = NewFlow(
            flow: flow,
            client: client,
            launchHash: hash(ticket),
            appHash: appHash,
            challenge: challenge?.digest,
            order: StoredOrder(
                json: order.json,
                subtotal: order.subtotal.amount,
                taxIncluded: order.beforePostage.amount
            )
        )
        limits.remember(ShownTokens(flow, new.launchHash, proof: appHash))
        counters.count(.issue, "issued")
        return .allocated(new, IssuedFlow(ticket: ticket, newProof: proof))
    }
}
