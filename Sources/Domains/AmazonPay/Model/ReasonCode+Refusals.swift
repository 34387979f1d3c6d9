// Why a call is refused, where `ReasonCode` has not said so yet. The vendor's page on error handling.

extension ReasonCode {
    /// 400: the request makes no sense.
    package static let invalidRequest: ReasonCode = "InvalidRequest"
    /// 400: the body is no JSON.
    package static let invalidRequestFormat: ReasonCode = "InvalidRequestFormat"
    /// 400: a member has a value that it cannot have.
    package static let invalidParameterValue: ReasonCode = "InvalidParameterValue"
    /// 400: a member is missing.
    package static let missingParameterValue: ReasonCode = "MissingParameterValue"
    /// 400: a member is not known.
    package static let unrecognizedField: ReasonCode = "UnrecognizedField"
    /// 400: members contradict each other.
    package static let invalidParameterCombination: ReasonCode = "InvalidParameterCombination"
    /// 400: the version in the path.
    package static let invalidAPIVersion: ReasonCode = "InvalidAPIVersion"
    /// 400: more than may be charged or refunded.
    package static let transactionAmountExceeded: ReasonCode = "TransactionAmountExceeded"
    /// 400: more than may be charged in the period.
    package static let periodicAmountExceeded: ReasonCode = "PeriodicAmountExceeded"
    /// 400: no such simulation.
    package static let invalidSandboxSimulationSpecified: ReasonCode = "InvalidSandboxSimulationSpecified"
    /// 401: the key may not be used for the object.
    package static let unauthorizedAccess: ReasonCode = "UnauthorizedAccess"
    /// 403: of delegated calls.
    package static let invalidAuthorizationToken: ReasonCode = "InvalidAuthorizationToken"
    /// 405: no such call.
    package static let unsupportedOperation: ReasonCode = "UnsupportedOperation"
    /// 405: not for this account.
    package static let requestNotSupported: ReasonCode = "RequestNotSupported"
    /// 422: the charge is not in a state for this call.
    package static let invalidChargeStatus: ReasonCode = "InvalidChargeStatus"
    /// 422: the permission is not in a state for this call.
    package static let invalidChargePermissionStatus: ReasonCode = "InvalidChargePermissionStatus"
    /// 422: the permission's marks are frozen.
    package static let chargePermissionNotModifiable: ReasonCode = "ChargePermissionNotModifiable"
    /// 422: too many charges or refunds.
    package static let transactionCountExceeded: ReasonCode = "TransactionCountExceeded"
    /// 426: TLS below 1.2.
    package static let tlsVersionNotSupported: ReasonCode = "TLSVersionNotSupported"
}
