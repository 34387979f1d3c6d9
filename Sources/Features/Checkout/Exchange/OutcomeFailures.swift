import CheckoutCodes
package import SessionBroker
package import Web

// Codes of the contract for ended sessions and refused purchases; each handler maps the outcomes that only it has.

extension WebviewSessionState {
    /// What a token of a dead webview session is answered.
    var deadCode: FailureCode {
        switch self {
        case .expired: .expiredSession
        case .canceled: .sessionCanceled
        default: .sessionRevoked
        }
    }
}

extension PurchaseRefusal {
    /// The refusal in the words of the contract.
    ///
    /// - Parameter webviewSession: For `Webview-Session-Id`; left out where the ticket is not known, so that nothing distinguishes a
    ///   guess from a hit.
    package func failure(_ webviewSession: WebviewSessionID) -> Failure {
        switch self {
        case .unknown: Failure(.unknownSession)
        case .proofRequired: Failure(.proofRequired, session: webviewSession)
        case .proofMismatch: Failure(.proofMismatch, session: webviewSession)
        case .webviewSessionMismatch: Failure(.webviewSessionMismatch, session: webviewSession)
        case .notPriced: Failure(.notPriced, session: webviewSession)
        case .priceChanged: Failure(.priceChanged, session: webviewSession)
        case .orderMismatch: Failure(.orderMismatch, session: webviewSession)
        case .notReady: Failure(.notReady, session: webviewSession)
        case .inProgress(let seconds, let total):
            Failure(waitingFor: total, of: webviewSession, retryAfter: min(max(seconds, 1), 5))
        case .declined: Failure(.paymentDeclined, session: webviewSession)
        case .expired: Failure(.expiredSession, session: webviewSession)
        case .dead(let state): Failure(state.deadCode, session: webviewSession)
        }
    }
}
