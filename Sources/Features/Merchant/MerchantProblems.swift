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
            case .payloadTooLarge: .contentTooLarge
            // The key makes a repeat safe.
            case .unavailable where (context as? StoreError)?.code == .outcomeUnknown: .outcomeUnknown
            default: code
            }
        return code == self.code ? self : Failure(code, detail, session: session, retryAfter: retryAfter)
    }

    /// A request whose content the server does not take.
    ///
    /// - Parameters:
    ///   - status: 413, 408 or 400.
    ///   - limit: Bytes that a content may have.
    init(contentRefusedWith status: HTTPStatus, limit: Int) {
        switch status {
        case .payloadTooLarge: self.init(.contentTooLarge, message: "The content is larger than \(limit) bytes.")
        case .requestTimeout: self.init(.requestTimeout)
        case .serviceUnavailable: self.init(.unavailable)
        default: self.init(.invalidRequest, message: "The content does not match the header fields of the request.")
        }
    }
}

extension ProviderProblem {
    /// What the provider said with an error.
    init(_ error: AmazonPayError) {
        self.init(status: error.status, reasonCode: error.reason?.rawValue, requestID: error.requestID)
    }
}
