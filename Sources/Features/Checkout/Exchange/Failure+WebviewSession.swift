import CheckoutCodes
import Commerce
import MerchantAPI
import SessionBroker
import Web

// What the checkout's format adds to an answer: who buys, and what has become of the order, where that is known.

/// What is known of the webview session of a refused request.
private struct RefusedSession: Sendable {
    var client: ClientKind?
    let state: WebviewSessionState
    /// Of a purchase that is under way, for whoever has proven both halves.
    var total: Yen?
}

extension Failure {
    /// Who buys; `nil` where that is not known.
    var client: ClientKind? { (context as? RefusedSession)?.client }

    /// What is being paid, for a page that waits; `nil` where nobody waits.
    var total: Yen? { (context as? RefusedSession)?.total }

    /// What has become of the order: by the state of its webview session, or what the code says by itself.
    var progress: OrderProgress {
        (context as? RefusedSession).map { OrderProgress($0.state) } ?? OrderProgress(impliedBy: code)
    }

    /// The refusal of a webview session that was looked up.
    init(_ code: FailureCode, _ detail: String = "", of view: WebviewSessionView) {
        self.init(
            code,
            detail,
            session: view.id,
            context: RefusedSession(client: view.client, state: view.state)
        )
    }

    /// The same refusal, of a webview session that was looked up.
    func about(_ view: WebviewSessionView) -> Failure {
        Failure(
            code,
            detail,
            session: view.id,
            retryAfter: retryAfter,
            context: RefusedSession(client: view.client, state: view.state)
        )
    }

    /// The answer while a purchase is under way.
    init(waitingFor attempt: PurchaseAttempt, _ detail: String, retryAfter: Int? = nil) {
        self.init(
            .purchaseInProgress,
            detail,
            session: attempt.webviewSession,
            retryAfter: retryAfter,
            context: RefusedSession(client: attempt.client, state: .purchasing, total: attempt.total)
        )
    }

    /// The same for a purchase that somebody else has under way.
    init(waitingFor total: Yen?, of webviewSession: WebviewSessionID, retryAfter: Int) {
        self.init(
            .purchaseInProgress,
            session: webviewSession,
            retryAfter: retryAfter,
            context: RefusedSession(state: .purchasing, total: total)
        )
    }

    /// The refusal of a webview session of which the state alone is known.
    init(_ code: FailureCode, session: WebviewSessionID, in state: WebviewSessionState) {
        self.init(code, session: session, context: RefusedSession(state: state))
    }
}
