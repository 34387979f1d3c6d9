import CheckoutCodes
package import Commerce
package import MerchantAPI
package import MerchantOrders
import Primitives
package import SessionBroker
import Telemetry
import Web

/// The one way to a webview session: the shop's own pages come here, and so do merchants' programs; one per loop.
///
/// Both bring a description of the order, and what of it goes with the webview session is decided here. They differ in who
/// keeps the proof and in how a repeat is known: the jar of a cart, or the claim of a program; see `SessionCreation+Merchant`
/// for that.
package final class SessionCreation {
    /// The part of a description that is stored with its webview session, for every opener.
    package struct Contents {
        /// What the buyer is shown.
        package let order: Order
        /// What the crossing needs to know.
        package let terms: OrderTerms

        /// The contents of a description, or `nil` in a currency that the pages do not show.
        package init?(_ draft: OrderDraft) {
            guard let order = draft.shown, let terms = OrderTerms(draft) else { return nil }
            self.order = order
            self.terms = terms
        }
    }

    /// The half that opens a webview session from a cart of the shop itself.
    struct Cart {
        let client: ClientKind
        /// Of the jar, where it has one.
        let proof: AppProof?
        let challenge: CodeChallenge?
    }

    /// Allocates the webview sessions.
    package let broker: Broker
    /// What every order of the shop itself agrees on.
    private let ownTerms: OrderTerms

    /// A way to webview sessions on one loop.
    ///
    /// - Parameters:
    ///   - ownTerms: What every order of the shop itself agrees on.
    init(broker: Broker, ownTerms: OrderTerms) {
        self.broker = broker
        self.ownTerms = ownTerms
    }

    /// Opens a webview session for the shop's own cart.
    ///
    /// Its terms follow from settings, so the webview session is stored without any.
    ///
    /// - Returns: The launch ticket, and a proof where the jar had none.
    /// - Throws: `rate_limited`, `invalid_request`, and what the store says.
    func open(_ draft: OrderDraft, from cart: Cart, by caller: Caller) async throws(Failure) -> IssuedWebviewSession {
        guard let contents = Contents(draft), contents.terms == ownTerms else {
            throw Failure(.internalError, "an order of the shop itself with other terms than the settings say")
        }
        let request = IssueRequest(
            client: cart.client,
            order: contents.order,
            proof: cart.proof,
            challenge: cart.challenge
        )
        let outcome = try await Failure.mapErrors { try await broker.issue(request, by: caller) }
        switch outcome {
        case .issued(let issued):
            noteIssued(issued, cart.client)
            return issued
        case .refused(.tooManyWebviewSessions): throw Failure(.rateLimited, "too many live webview sessions")
        case .refused(.verifierRequired): throw Failure(.invalidRequest, "this shop requires code_challenge")
        }
    }

    /// Writes down that a webview session was stored.
    package func noteIssued(_ issued: IssuedWebviewSession, _ client: ClientKind) {
        broker.steps.note("session.issued", issued.ticket.webviewSession, [LogField("client", client.rawValue)])
    }
}
