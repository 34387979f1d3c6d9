import SimulatorCore
import StrictJSON

/// A refusal in the words of the service.
struct APIError: Error, Sendable, Equatable {
    let reason: APIReason
    let message: String

    init(_ reason: APIReason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    var status: Int { reason.status }

    var body: JSONValue { ["reasonCode": .string(reason.rawValue), "message": .string(message)] }

    /// Checks a body against its members.
    ///
    /// - Throws: `UnrecognizedField`, `InvalidParameterValue` or `MissingParameterValue`, naming the first member found so.
    static func check(_ body: JSONValue, _ members: [Shape.Member]) throws(APIError) {
        guard let mismatch = ShapeMismatch.first(in: body, members) else { return }
        switch mismatch {
        case .unknown: throw APIError(.unrecognizedField, mismatch.description)
        case .invalid: throw APIError(.invalidParameterValue, mismatch.description)
        case .missing: throw APIError(.missingParameterValue, mismatch.description)
        }
    }

    static func notFound(_ what: String) -> APIError {
        APIError(.resourceNotFound, "The resource \(what) was not found.")
    }
}

/// The reason codes of the service with their HTTP status.
enum APIReason: String, Sendable, CaseIterable {
    case invalidHeaderValue = "InvalidHeaderValue"
    case missingHeader = "MissingHeader"
    case missingHeaderValue = "MissingHeaderValue"
    case invalidRequest = "InvalidRequest"
    case invalidRequestFormat = "InvalidRequestFormat"
    case invalidParameterValue = "InvalidParameterValue"
    case missingParameterValue = "MissingParameterValue"
    case unrecognizedField = "UnrecognizedField"
    case invalidParameterCombination = "InvalidParameterCombination"
    case invalidAPIVersion = "InvalidAPIVersion"
    case currencyMismatch = "CurrencyMismatch"
    case transactionAmountExceeded = "TransactionAmountExceeded"
    case periodicAmountExceeded = "PeriodicAmountExceeded"
    case invalidSandboxSimulationSpecified = "InvalidSandboxSimulationSpecified"
    case duplicateIdempotencyKey = "DuplicateIdempotencyKey"
    case unauthorizedAccess = "UnauthorizedAccess"
    case invalidAuthentication = "InvalidAuthentication"
    case invalidAccountStatus = "InvalidAccountStatus"
    case invalidRequestSignature = "InvalidRequestSignature"
    case invalidAuthorizationToken = "InvalidAuthorizationToken"
    case resourceNotFound = "ResourceNotFound"
    case unsupportedOperation = "UnsupportedOperation"
    case requestNotSupported = "RequestNotSupported"
    case requestTimeout = "RequestTimeout"
    case amountMismatch = "AmountMismatch"
    case invalidCheckoutSessionStatus = "InvalidCheckoutSessionStatus"
    case checkoutSessionCanceled = "CheckoutSessionCanceled"
    case invalidChargeStatus = "InvalidChargeStatus"
    case invalidChargePermissionStatus = "InvalidChargePermissionStatus"
    case chargePermissionNotModifiable = "ChargePermissionNotModifiable"
    case transactionCountExceeded = "TransactionCountExceeded"
    case paymentMethodNotAllowed = "PaymentMethodNotAllowed"
    case mfaNotCompleted = "MFANotCompleted"
    case amazonRejected = "AmazonRejected"
    case hardDeclined = "HardDeclined"
    case softDeclined = "SoftDeclined"
    case transactionTimedOut = "TransactionTimedOut"
    case tooEarly = "TooEarly"
    case tlsVersionNotSupported = "TLSVersionNotSupported"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case processingFailure = "ProcessingFailure"
    case serviceUnavailable = "ServiceUnavailable"

    var status: Int {
        switch self {
        case .invalidHeaderValue, .missingHeader, .missingHeaderValue, .invalidRequest, .invalidRequestFormat,
            .invalidParameterValue, .missingParameterValue, .unrecognizedField, .invalidParameterCombination,
            .invalidAPIVersion, .currencyMismatch, .transactionAmountExceeded, .periodicAmountExceeded,
            .invalidSandboxSimulationSpecified, .duplicateIdempotencyKey:
            400
        case .unauthorizedAccess: 401
        case .invalidAuthentication, .invalidAccountStatus, .invalidRequestSignature, .invalidAuthorizationToken: 403
        case .resourceNotFound: 404
        case .unsupportedOperation, .requestNotSupported: 405
        case .requestTimeout: 408
        case .amountMismatch: 409
        case .invalidCheckoutSessionStatus, .checkoutSessionCanceled, .invalidChargeStatus,
            .invalidChargePermissionStatus, .chargePermissionNotModifiable, .transactionCountExceeded,
            .paymentMethodNotAllowed, .mfaNotCompleted, .amazonRejected, .hardDeclined, .softDeclined,
            .transactionTimedOut:
            422
        case .tooEarly: 425
        case .tlsVersionNotSupported: 426
        case .tooManyRequests: 429
        case .internalServerError, .processingFailure: 500
        case .serviceUnavailable: 503
        }
    }
}
