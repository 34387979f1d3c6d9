import MerchantAPI
import SessionBroker
import Web

// What the checkout's format adds to an answer: who buys, where that is known, for the way back.

extension Failure {
    /// Who buys; `nil` where that is not known.
    var client: ClientKind? { context as? ClientKind }

    /// The refusal of a webview session that was looked up.
    init(_ code: FailureCode, _ detail: String = "", of view: WebviewSessionView) {
        self.init(code, detail, session: view.id, context: view.client)
    }

    /// The refusal as pages and their scripts know it: they have no code for an unknown outcome, and repeat after
    /// `unavailable`.
    var forPages: Failure {
        code == .outcomeUnknown ? Failure(.unavailable, detail, session: session, retryAfter: retryAfter) : self
    }
}
