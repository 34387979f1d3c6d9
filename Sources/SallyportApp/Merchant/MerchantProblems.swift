import Checkout
import HTTPCore
import MerchantAPI
import Pages
import Primitives
import SessionBroker
import Web

// Where the words of the shop's own contract become those of the interface for merchants' programs.

extension Problem {
    /// A refusal of the purchase, which merchants' programs share with the pages.
    ///
    /// - Parameter failure: Of the handler or service.
    init(_ failure: Failure) {
        let code: ProblemCode =
            switch failure.code {
            case .invalidRequest, .quantityInvalid: .invalidRequest
            case .paymentDeclined: .paymentDeclined
            case .wrongBrowser, .cookiesBlocked, .csrfRejected, .proofRequired, .proofMismatch: .proofMismatch
            case .unknownSession, .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .sessionReused, .expiredSession, .sessionRevoked, .sessionCancelled: .sessionOver
            case .flowMismatch, .orderMismatch: .orderMismatch
            case .notPriced, .postageFailed, .notReady, .priceChanged: .notReady
            case .purchaseInProgress: .purchaseInProgress
            case .payloadTooLarge: .contentTooLarge
            case .rateLimited: .rateLimited
            case .providerFailed: .providerFailed
            case .unavailable: .unavailable
            default: .internalError
            }
        self.init(code, flow: failure.session, retryAfter: failure.retryAfter, detail: failure.detail)
    }

    /// A request whose content the server does not take.
    ///
    /// - Parameters:
    ///   - status: 413, 408 or 400.
    ///   - limit: Bytes that a content may have.
    init(contentRefusedWith status: HTTPStatus, limit: Int) {
        switch status {
        case .payloadTooLarge: self.init(.contentTooLarge, "The content is larger than \(limit) bytes.")
        case .requestTimeout: self.init(.requestTimeout)
        case .serviceUnavailable: self.init(.unavailable)
        default: self.init(.invalidRequest, "The content is not what its fields announce.")
        }
    }
}
