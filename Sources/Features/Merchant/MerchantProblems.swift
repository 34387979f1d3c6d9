import AmazonPay
import CheckoutCodes
import HTTPCore
import MerchantAPI
import Primitives
import Web

// Where refusals of the checkout become those of the interface for merchants' programs.

extension Failure {
    /// In the codes of `/v1`: a refusal of the purchase has those of the pages, which merchants' programs share.
    var forMerchantAPI: Failure {
        let code: FailureCode =
            switch code {
            case .quantityInvalid: .invalidRequest
            case .wrongBrowser, .cookiesBlocked, .csrfRejected, .proofRequired: .proofMismatch
            case .unknownSession: .notFound
            case .sessionReused, .expiredSession, .sessionRevoked, .sessionCanceled: .sessionOver
            case .webviewSessionMismatch: .orderMismatch
            case .notPriced, .addressNotPriced, .postageFailed, .priceChanged: .notReady
            default: code
            }
        return code == self.code ? self : Failure(code, detail, session: session, retryAfter: retryAfter)
    }
}

extension ProviderProblem {
    /// What the provider said with an error.
    init(_ error: AmazonPayError) {
        self.init(status: error.status, reasonCode: error.reason?.rawValue, requestID: error.requestID)
    }
}
