import Pages
import SessionBroker

/// The one way to a flow: the shop's own pages come here, and so do merchants' programs; one per loop.
///
/// What they share is the flow and its tokens. The shop's own order is priced from the catalogue and says nothing about terms;
/// see `SessionOpening+Merchant` for the other.
final class SessionOpening {
    let broker: Broker

    /// A way to flows on one loop.
    ///
    /// - Parameter broker: The state machine.
    init(broker: Broker) {
        self.broker = broker
    }

    /// Opens a flow for the shop's own cart.
    ///
    /// - Parameters:
    ///   - request: An order priced from the catalogue, and what the cart's jar holds.
    ///   - caller: Where it comes from.
    /// - Returns: The launch ticket, and a proof where the jar had none.
    /// - Throws: `rate_limited`, `invalid_request`, and what the store says.
    func open(_ request: IssueRequest, by caller: Caller) async throws(Failure) -> IssuedFlow {
        let verdict: IssueVerdict
        do throws(BrokerError) {
            verdict = try await broker.issue(request, by: caller)
        } catch {
            throw error.failure
        }
        switch verdict {
        case .issued(let issued): return issued
        case .tooManyFlows: throw Failure(.rateLimited, "too many live flows")
        case .verifierRequired: throw Failure(.invalidRequest, "this shop requires code_challenge")
        }
    }
}
