import HTTPCore
import Pages
import Primitives
import SessionBroker

/// Why a request is refused: the codes of the HTTP contract, session-security 0.4.
///
/// The raw value is the word that clients read, in JSON as `error` and in pages as `data-error`.
typealias FailureCode = PageErrorCode

// The one place that knows both a code and its status.
extension PageErrorCode {
    /// The status that goes with the code.
    var status: HTTPStatus {
        switch self {
        case .invalidRequest, .quantityInvalid: .badRequest
        case .paymentDeclined: .paymentRequired
        case .wrongBrowser, .cookiesBlocked, .csrfRejected, .proofRequired, .proofMismatch: .forbidden
        case .unknownSession, .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .sessionReused, .flowMismatch, .notPriced, .notReady, .priceChanged,
            .purchaseInProgress:
            .conflict
        case .expiredSession, .sessionRevoked, .sessionCancelled: .gone
        case .payloadTooLarge: .payloadTooLarge
        case .orderMismatch: .unprocessable
        case .rateLimited: .tooManyRequests
        case .internalError: .internalError
        case .providerFailed, .postageFailed, .unavailable: .serviceUnavailable
        }
    }

    /// One sentence for a developer who reads the JSON answer; buyers see the page's own text.
    var message: String {
        switch self {
        case .invalidRequest: "A parameter or cookie is missing, malformed or repeated."
        case .quantityInvalid: "Quantities are whole numbers from 0 to 99, and at least one is positive."
        case .rateLimited: "Too many requests. Try again later."
        case .unknownSession: "No such session."
        case .expiredSession: "The session has expired. Start again in the app."
        case .sessionReused: "The ticket was used before."
        case .sessionRevoked: "The session has ended. Start again in the app."
        case .sessionCancelled: "The checkout was cancelled. Start again in the app."
        case .wrongBrowser: "The ticket opens only in the browser that asked for it."
        case .cookiesBlocked: "This browser keeps no cookies."
        case .flowMismatch: "This page belongs to another checkout than the tab."
        case .orderMismatch: "The order reference is not the one of this session."
        case .csrfRejected: "The request does not come from a page of this shop."
        case .proofRequired: "A proof is missing that the session was started here."
        case .proofMismatch: "The proof belongs to another app or browser."
        case .notPriced: "The order has no total yet. Choose an address first."
        case .notReady: "The provider has not finished. Try again when the buyer is back."
        case .priceChanged: "The total is not the one that was shown."
        case .purchaseInProgress: "The purchase is being processed. Ask again."
        case .paymentDeclined: "The payment was declined."
        case .notFound: "There is nothing here."
        case .methodNotAllowed: "This method does not work here."
        case .payloadTooLarge: "The request is too large."
        case .providerFailed: "The payment provider did not do it. Nothing was charged; try again."
        case .postageFailed: "The shop did not say what sending the order costs. Nothing was charged; try again."
        case .unavailable: "The service cannot answer right now. Try again."
        case .internalError: "The request failed on our side."
        }
    }

    /// Seconds after which a client may ask again, where that makes sense.
    var retryAfter: Int? {
        switch self {
        case .purchaseInProgress, .notReady: 2
        case .unavailable, .providerFailed, .postageFailed: 5
        case .rateLimited: 60
        default: nil
        }
    }
}

/// A refusal on its way out of a handler.
struct Failure: Error, Sendable {
    /// What the client is told.
    let code: FailureCode
    /// What the log is told; never sent.
    ///
    /// Holds no token and no personal data.
    let detail: String
    /// The flow it concerns, where one is known, for `X-Flow-Id`.
    let flow: UUIDBytes?
    /// Who buys, where that is known, for the way back.
    let client: ClientKind?
    /// Seconds for `Retry-After`; `nil` takes the code's own.
    let retryAfter: Int?

    init(
        _ code: FailureCode,
        _ detail: String = "",
        flow: UUIDBytes? = nil,
        client: ClientKind? = nil,
        retryAfter: Int? = nil
    ) {
        self.code = code
        self.detail = detail
        self.flow = flow
        self.client = client
        self.retryAfter = retryAfter ?? code.retryAfter
    }

    /// The refusal of a flow that was looked up.
    init(_ code: FailureCode, _ detail: String = "", of flow: FlowView) {
        self.init(code, detail, flow: flow.flow, client: flow.client)
    }
}
