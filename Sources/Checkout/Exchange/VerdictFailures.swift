import CheckoutCodes
package import SessionBroker
package import Web

// Codes of the contract for ended sessions and refused purchases; each handler maps the outcomes that only it has.

extension FlowState {
    /// What a token of a dead flow is answered.
    var deadCode: FailureCode {
        switch self {
        case .expired: .expiredSession
        case .cancelled: .sessionCancelled
        default: .sessionRevoked
        }
    }
}

extension PurchaseRefusal {
    /// The refusal in the words of the contract.
    ///
    /// - Parameter flow: For `X-Flow-Id`; left out where the ticket is not known, so that nothing tells a guess from a hit.
    /// - Returns: The failure to throw.
    package func failure(_ flow: FlowID) -> Failure {
        switch self {
        case .unknown: Failure(.unknownSession)
        case .proofRequired: Failure(.proofRequired, session: flow)
        case .proofMismatch: Failure(.proofMismatch, session: flow)
        case .flowMismatch: Failure(.flowMismatch, session: flow)
        case .notPriced: Failure(.notPriced, session: flow)
        case .priceChanged: Failure(.priceChanged, session: flow)
        case .orderMismatch: Failure(.orderMismatch, session: flow)
        case .notReady: Failure(.notReady, session: flow)
        case .inProgress(let seconds): Failure(.purchaseInProgress, session: flow, retryAfter: min(max(seconds, 1), 5))
        case .declined: Failure(.paymentDeclined, session: flow)
        case .expired: Failure(.expiredSession, session: flow)
        case .dead(let state): Failure(state.deadCode, session: flow)
        }
    }
}
