import MerchantAPI
import SessionBroker
import Web

// What the checkout's format adds to an answer: who buys, and what has become of the order, where that is known.

/// What is known of the webview session of a refused request.
private struct RefusedSession: Sendable {
    let client: ClientKind?
    let state: WebviewSessionState
}

extension Failure {
    /// Who buys; `nil` where that is not known.
    var client: ClientKind? { (context as? RefusedSession)?.client }

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

    /// The refusal of a webview session of which the state alone is known.
    init(_ code: FailureCode, session: WebviewSessionID, in state: WebviewSessionState) {
        self.init(code, session: session, context: RefusedSession(client: nil, state: state))
    }

    /// The refusal as pages and their scripts know it: they have no code for an unknown outcome, and repeat after
    /// `unavailable`.
    var forPages: Failure {
        code == .outcomeUnknown ? Failure(.unavailable, detail, session: session, retryAfter: retryAfter) : self
    }
}
